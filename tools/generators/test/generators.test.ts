/** @module-tag long */
import { execFile } from 'node:child_process'
import { cp, mkdtemp, readFile, rm, symlink, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join, relative, resolve } from 'node:path'
import { promisify } from 'node:util'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
// @ts-expect-error: a script without types
import { GeneratorError, newSection, newService } from '../src/index.mjs'

const ROOT = resolve(import.meta.dirname, '../../..')
let root: string
let written: string[]
let changed: string[]

/** Timeout for compilers and whole test runs on a busy machine. */
const TIMEOUT_MS = 480_000

/**
 * Not copied: local files of a checkout, bundles, node_modules, which the copy links to, and temporary apps of the build
 * kit's concurrent tests.
 */
const LEFT_OUT =
  /^(\.git|\.data|node_modules\/(\.pnpm|\.cache)|(shell|extension|mfe-[^/]+)\/dist)$|(^|\/)(test-results|\.vite-temp|\.app-[^/]+)$/

/** Runs a command in the copy. The error of a failed one contains its output. */
const run = (command: string, ...args: string[]) =>
  promisify(execFile)(command, args, {
    cwd: root,
    encoding: 'utf8',
    env: { ...process.env, CI: 'true' },
  }).catch(error => {
    throw new Error(`${error.stdout}\n${error.stderr}`)
  })
const bin = (name: string) => join(root, 'node_modules/.bin', name)
const copyTree = (from: string, to: string) =>
  cp(from, to, {
    recursive: true,
    verbatimSymlinks: true,
    preserveTimestamps: true,
    filter: path => !LEFT_OUT.test(relative(ROOT, path)),
  })

beforeAll(async () => {
  root = await mkdtemp(join(tmpdir(), 'iodine-generators-'))
  await copyTree(ROOT, root)
  await symlink(join(ROOT, 'node_modules/.pnpm'), join(root, 'node_modules/.pnpm'), 'dir')
  // Not the guide's name, which a clone may contain.
  const service = await newService({ root, name: 'specimens' })
  const section = await newSection({ root, name: 'specimens', label: "Team's lists" })
  written = [...service.written, ...section.written]
  changed = [...service.changed, ...section.changed]
  // Links to installed packages, as an install creates them.
  for (const [model, made] of [
    ['services/community', 'services/specimens'],
    ['mfe-community', 'mfe-specimens'],
  ])
    await copyTree(join(ROOT, `${model}/node_modules`), join(root, `${made}/node_modules`))
  const link = join(root, 'tools/dev-stack/node_modules/@iodine/specimens')
  await symlink('../../../../services/specimens', link, 'dir')
  const sources = [...written, ...changed].filter(file => /\.(tsx?|json)$/.test(file))
  await run(bin('biome'), 'check', '--write', ...sources)
  // The guide's manual step: the access table.
  const table = join(root, 'tools/harness/test/access.test.ts')
  const row = `  'POST /specimens': { body: () => ({ text: 'mine' }), status: 201 },\n`
  const text = await readFile(table, 'utf8')
  await writeFile(
    table,
    text.replace(/^ {2}'POST \/auth\/logout'/m, found => `${row}${found}`),
  )
}, TIMEOUT_MS)
afterAll(() => rm(root, { recursive: true, force: true }))

describe('a generated service with its section', () => {
  it(
    'is formatted, linted, typed, within the import rules and without unused code',
    async () => {
      await run(
        bin('biome'),
        'check',
        '--error-on-warnings',
        ...written,
        ...changed.filter(file => /\.(ts|json)$/.test(file)),
      )
      await run(bin('tsc'), '-b', '--checkers', '1')
      await run(process.execPath, 'scripts/structure.mjs')
      await run(bin('knip'), '--no-config-hints')
    },
    TIMEOUT_MS,
  )

  it(
    'passes its tests and those of the whole product, behind the gateway',
    async () => {
      await run(bin('vitest'), 'run', 'specimens/test', 'tools/harness/test/access.test.ts')
      const { stdout } = await run(bin('vitest'), 'run', '--reporter', 'verbose', 'deploy/test')
      expect(stdout).toContain('services.yaml: Deployment specimens')
    },
    TIMEOUT_MS,
  )
})

describe('an impossible generation', () => {
  it('reports the reason and changes no file', async () => {
    const before = await readFile(join(root, 'tools/dev-stack/package.json'), 'utf8')
    for (const [made, reason] of [
      [() => newService({ root, name: 'specimens' }), /services\/specimens|specimens\.ts/],
      [() => newService({ root, name: 'my-lists' }), 'can’t be called my-lists'],
      [() => newService({ root, name: 'workers' }), 'can’t be called workers'],
      [() => newService({ root, name: 'exchange' }), 'packages/exchange has that name'],
      [() => newSection({ root, name: 'specimens', label: 'Again' }), 'mfe-specimens is there already.'],
      [() => newSection({ root, name: 'Admin', label: 'Admin' }), 'can’t be called Admin'],
    ] as const) {
      const failing = expect(made()).rejects
      await failing.toBeInstanceOf(GeneratorError)
      await expect(made()).rejects.toThrow(reason)
    }
    expect(await readFile(join(root, 'tools/dev-stack/package.json'), 'utf8')).toBe(before)
  })
})
