import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { fileURLToPath, pathToFileURL } from 'node:url'
import { Spec, Validation } from '@cyclonedx/cyclonedx-library'
import { beforeAll, expect, it } from 'vitest'
import { parse } from 'yaml'

const root = fileURLToPath(new URL('../..', import.meta.url))

interface Component {
  'bom-ref': string
  purl: string
  hashes?: { alg: string; content: string }[]
}
interface Bom {
  components: Component[]
  dependencies: { ref: string; dependsOn?: string[] }[]
}

let text: string
let bom: Bom
let lock: { packages: Record<string, { resolution: { integrity?: string } }> }
let make: (root: string) => string
let productionPackages: (lockFile: string) => Record<string, string[]>
beforeAll(async () => {
  const lib = (name: string) => import(pathToFileURL(`${root}/scripts/lib/${name}.mjs`).href)
  make = (await lib('sbom')).billOfMaterials
  productionPackages = (await lib('audit')).productionPackages
  text = make(root)
  bom = JSON.parse(text)
  lock = parse(readFileSync(join(root, 'pnpm-lock.yaml'), 'utf8'))
})

it('is valid by the schema of CycloneDX 1.6', async () => {
  const validator = new Validation.JsonStrictValidator(Spec.Version.v1dot6)
  expect(await validator.validate(text)).toBeNull()
})

it('lists exactly the deployed packages, once each, with the hash of the lock file', () => {
  const shipped = Object.entries(productionPackages(readFileSync(join(root, 'pnpm-lock.yaml'), 'utf8')))
  const expected = shipped.flatMap(([name, versions]) => versions.map(version => `${name}@${version}`))
  expect(expected.length).toBeGreaterThan(100)
  expect(bom.components.map(each => each['bom-ref']).sort()).toEqual(expected.sort())
  for (const { 'bom-ref': id, hashes, purl } of bom.components) {
    const integrity = lock.packages[id]?.resolution.integrity ?? ''
    const content = Buffer.from(integrity.replace(/^sha512-/, ''), 'base64').toString('hex')
    expect([id, hashes]).toEqual([id, [{ alg: 'SHA-512', content }]])
    expect(purl).toBe(`pkg:npm/${id.replace(/^@/, '%40')}`)
  }
})

it('contains the dependencies of packages, and no development tools', () => {
  const ids = new Set(bom.components.map(each => each['bom-ref']))
  expect([...ids].filter(id => /^(vitest|@playwright\/test|@biomejs\/biome)@/.test(id))).toEqual([])
  const edges = bom.dependencies.flatMap(({ dependsOn = [] }) => dependsOn)
  expect(edges.filter(ref => !ids.has(ref))).toEqual([])
  const fastify = bom.dependencies.find(({ ref }) => ref.startsWith('fastify@'))
  expect(fastify?.dependsOn?.some(ref => ref.startsWith('find-my-way@'))).toBe(true)
})

it('is deterministic', () => {
  expect(make(root)).toBe(text)
})
