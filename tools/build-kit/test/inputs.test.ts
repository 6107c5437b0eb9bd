import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, it } from 'vitest'
import { parse } from 'yaml'

type Lock = Record<'importers' | 'snapshots', unknown>
// A plain JavaScript module, typed here.
const MODULE = '../src/inputs.mjs'
const { inputsOf } = (await import(MODULE)) as {
  inputsOf: (lock: Lock, app: string) => { folders: string[]; packages: string[] }
}

const LOCK = readFileSync(join(import.meta.dirname, '../../../pnpm-lock.yaml'), 'utf8')
const lock = parse(LOCK) as Lock
const inputs = (app: string) => inputsOf(lock, app)

it('the inputs of an app are its folder and its dependencies, without those of its tests', () => {
  const { folders, packages } = inputs('mfe-campaigns')
  expect(folders.sort()).toEqual([
    'mfe-campaigns',
    'packages/contracts',
    'packages/evidence',
    'packages/exchange',
    'packages/mfe-kit',
    'packages/ui',
    'tools/build-kit',
  ])
  expect(packages).toContain('react@19.3.1')
  expect(packages.filter(name => name.startsWith('@rspack/core@'))).toHaveLength(1)
  expect(packages.filter(name => name.startsWith('mongoose@'))).toEqual([])
})

it('a new version of a package changes only the inputs of apps that depend on it', { tags: 'long' }, () => {
  const changed = LOCK.replaceAll('idb@8.0.4', 'idb@8.0.5').replace(
    /(idb:\n.*\n\s+version: )8\.0\.4/,
    '$18.0.5',
  )
  expect(changed).not.toBe(LOCK)
  const after = parse(changed) as Lock
  expect(inputsOf(after, 'extension')).not.toEqual(inputs('extension'))
  for (const app of ['shell', 'mfe-data']) expect(inputsOf(after, app)).toEqual(inputs(app))
})
