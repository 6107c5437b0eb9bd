import { spawnSync } from 'node:child_process'
import { mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { dirname, join, relative } from 'node:path'
import { fileURLToPath, pathToFileURL } from 'node:url'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'

const ROOT = fileURLToPath(new URL('../..', import.meta.url))
const CONFIG = join(ROOT, '.dependency-cruiser.mjs')

/** Imports that each break one rule: the importing file and the forbidden file or npm package. */
const VIOLATIONS: Record<string, [importer: string, imported: string]> = {
  'lowest-packages-import-nothing-of-ours': ['packages/contracts/src/a.ts', 'packages/ui/src/index.ts'],
  'packages-are-libraries': ['packages/inbox/src/a.ts', 'gateway/src/index.ts'],
  'kits-import-contracts': ['packages/service-kit/src/a.ts', 'packages/ui/src/index.ts'],
  'demo-imports-contracts-and-evidence': ['packages/demo/src/a.ts', 'packages/service-kit/src/index.ts'],
  'mfe-kit-imports-contracts-and-ui': ['packages/mfe-kit/src/a.ts', 'packages/service-kit/src/index.ts'],
  'exchange-for-campaigns': ['services/iods/src/a.ts', 'packages/exchange/src/index.ts'],
  'reports-are-made-of-exports': ['packages/reports/src/a.ts', 'packages/ui/src/index.ts'],
  'likeness-folds-as-the-product-does': ['packages/likeness/src/a.ts', 'packages/ui/src/index.ts'],
  'canon-for-narratives': ['services/iods/src/l.ts', 'packages/canon/src/index.ts'],
  'demo-data-beside-the-product': ['services/iods/src/b.ts', 'packages/demo/src/index.ts'],
  'offline-ai-is-a-provider': ['services/workers/src/a.ts', 'packages/offline-ai/src/index.ts'],
  'inbox-imports-the-kit': ['packages/inbox/src/b.ts', 'packages/contracts/src/index.ts'],
  'inbox-is-a-mail-server': ['services/auth/src/a.ts', 'packages/inbox/src/index.ts'],
  'services-import-contracts-and-kit': ['services/iods/src/c.ts', 'services/auth/src/index.ts'],
  'service-tests-add-the-test-kit': ['services/iods/test/a.ts', 'services/auth/src/index.ts'],
  'remotes-import-contracts-and-kit': ['mfe-iods/src/a.ts', 'mfe-data/src/index.ts'],
  'remote-tests-add-the-test-kit': ['mfe-iods/test/a.ts', 'mfe-data/src/index.ts'],
  'harness-runs-the-product': ['services/iods/test/b.ts', 'tools/harness/src/index.ts'],
  'extension-imports-contracts-and-looks': ['extension/src/a.ts', 'packages/mfe-kit/src/index.ts'],
  'dev-stack-at-the-top': ['gateway/src/a.ts', 'tools/dev-stack/src/index.ts'],
  'test-kit-in-tests': ['services/iods/src/d.ts', 'packages/test-kit/src/index.ts'],
  'embedded-mongo-is-a-database': ['services/iods/src/e.ts', 'packages/embedded-mongo/src/index.ts'],
  'chaos-stays-outside': ['tools/chaos/src/a.ts', 'services/auth/src/index.ts'],
  'build-kit-at-build-time': ['mfe-iods/src/b.ts', 'tools/build-kit/src/index.ts'],
  'folders-by-capability': ['services/iods/src/queries/a.ts', 'services/iods/src/models.ts'],
  'capabilities-in-order': [
    'services/iods/src/iods/queries/a.ts',
    'services/iods/src/votes/policies/independence.ts',
  ],
  'models-import-models': ['services/iods/src/iods/models/a.ts', 'services/iods/src/iods/policies/uid.ts'],
  'queries-import-no-command': [
    'services/iods/src/iods/queries/b.ts',
    'services/iods/src/iods/commands/b.ts',
  ],
  'routes-in-the-app': ['services/iods/src/iods/commands/a.ts', 'services/iods/src/iods/routes/iods.ts'],
  'mongoose-in-services': ['gateway/src/b.ts', 'mongoose'],
  'react-in-the-browser-parts': ['services/iods/src/f.ts', 'react'],
  'blueprint-through-ui': ['mfe-iods/src/c.ts', '@blueprintjs/core'],
  'no-deep-paths': ['services/iods/src/g.ts', 'packages/contracts/src/inner.ts'],
  'no-cycles': ['services/iods/src/circle-a.ts', 'services/iods/src/circle-b.ts'],
  'no-unresolved': ['services/iods/src/h.ts', 'is-nowhere'],
  'declared-dependencies': ['services/iods/src/i.ts', 'undeclared'],
  'no-dev-dependency-in-code': ['services/iods/src/j.ts', 'for-tests'],
  'code-needs-no-test': ['services/iods/src/k.ts', 'services/iods/test/helper.ts'],
}

let folder: string
const write = (path: string, text: string) => {
  mkdirSync(dirname(join(folder, path)), { recursive: true })
  writeFileSync(join(folder, path), text, { flag: 'a' })
}
const isFile = (name: string) => name.endsWith('.ts')
const importOf = (from: string, imported = '') => {
  const path = relative(dirname(from), imported).replace(/\.ts$/, '.js')
  return `import '${isFile(imported) ? (path.startsWith('.') ? path : `./${path}`) : imported}'\n`
}

beforeAll(() => {
  folder = mkdtempSync(join(tmpdir(), 'iodine-structure-'))
})
afterAll(() => rmSync(folder, { recursive: true, force: true }))

const CONTRACTS = 'packages/contracts/src/index.ts'
/** All violations: also of the other packages of a rule. */
const CASES: [rule: string, importer: string, imported: string][] = [
  ...Object.entries(VIOLATIONS).map(([rule, paths]): [string, string, string] => [rule, ...paths]),
  ['lowest-packages-import-nothing-of-ours', 'packages/coordination/src/a.ts', CONTRACTS],
  ['lowest-packages-import-nothing-of-ours', 'packages/embedded-mongo/src/a.ts', CONTRACTS],
  ['lowest-packages-import-nothing-of-ours', 'packages/local-servers/src/a.ts', CONTRACTS],
]

describe('the import rules', () => {
  it('report each violation', async () => {
    const { default: config } = (await import(pathToFileURL(CONFIG).href)) as {
      default: { forbidden: { name: string }[] }
    }
    const names = new Set(config.forbidden.map(({ name }) => name))
    expect(Object.keys(VIOLATIONS).sort()).toEqual([...names].sort())
    const parts = new Set<string>()
    for (const [, importer, imported] of CASES) {
      write(importer, importOf(importer, imported))
      if (isFile(imported)) write(imported, 'export {}\n')
      for (const file of [importer, imported].filter(isFile))
        parts.add(file.slice(0, file.search(/\/(src|test)\//)))
    }
    write(
      'services/iods/src/circle-b.ts',
      importOf('services/iods/src/circle-b.ts', VIOLATIONS['no-cycles']?.[0]),
    )
    for (const name of ['mongoose', 'react', '@blueprintjs/core', 'undeclared', 'for-tests']) {
      write(`node_modules/${name}/package.json`, JSON.stringify({ name, version: '1.0.0', main: 'index.js' }))
      write(`node_modules/${name}/index.js`, '')
    }
    const declared = { mongoose: '1.0.0', react: '1.0.0', '@blueprintjs/core': '1.0.0' }
    for (const part of parts)
      write(
        `${part}/package.json`,
        JSON.stringify({
          name: `@iodine/${part.split('/').at(-1)}`,
          exports: './src/index.ts',
          dependencies: declared,
          devDependencies: { 'for-tests': '1.0.0' },
        }),
      )
    const { stdout, stderr } = spawnSync(
      process.execPath,
      [
        join(ROOT, 'node_modules/dependency-cruiser/bin/dependency-cruise.mjs'),
        ...['--config', CONFIG, '--output-type', 'json', '.'],
      ],
      { cwd: folder, encoding: 'utf8', maxBuffer: 64 * 1024 * 1024 },
    )
    expect(stderr).toBe('')
    const { violations } = JSON.parse(stdout).summary as {
      violations: { from: string; rule: { name: string } }[]
    }
    for (const [rule, importer] of CASES)
      expect(
        violations.filter(({ from }) => from === importer).map(each => each.rule.name),
        importer,
      ).toContain(rule)
  })
})

describe('the rules on packages', () => {
  it('make the installation fail for a dependency cycle, including one by devDependencies', {
    tags: 'long',
  }, () => {
    const install = (needsOf: Record<string, object>) => {
      const workspace = mkdtempSync(join(folder, 'workspace-'))
      const put = (path: string, content: string) => writeFileSync(join(workspace, path), content)
      put('package.json', '{"private": true}')
      const [setting] =
        /^disallowWorkspaceCycles: .*$/m.exec(readFileSync(join(ROOT, 'pnpm-workspace.yaml'), 'utf8')) ?? []
      put('pnpm-workspace.yaml', `packages: ['*']\n${setting}\n`)
      for (const [name, needs] of Object.entries(needsOf)) {
        mkdirSync(join(workspace, name))
        put(`${name}/package.json`, JSON.stringify({ name, version: '1.0.0', ...needs }))
      }
      const { packageManager } = JSON.parse(readFileSync(join(ROOT, 'package.json'), 'utf8'))
      return spawnSync('npx', ['--yes', packageManager, 'install', '--lockfile-only', '--offline'], {
        cwd: workspace,
        encoding: 'utf8',
      }).stdout
    }
    const kit = { dependencies: { tests: 'workspace:*' } }
    const tests = { devDependencies: { stack: 'workspace:*' } }
    const stack = { dependencies: { kit: 'workspace:*' } }
    expect(install({ kit, tests, stack: {} })).toContain('Done')
    expect(install({ kit, tests, stack })).toContain('DISALLOW_WORKSPACE_CYCLES')
  })
})

describe('the rules on services', () => {
  it('report queries that write, and calls against the order', async () => {
    const { serviceFaults } = (await import(pathToFileURL(join(ROOT, 'scripts/lib/services.mjs')).href)) as {
      serviceFaults(root: string): string[]
    }
    const source = (path: string, text: string) => write(`ruled/services/${path}`, `${text}\n`)
    source('iods/src/iods/queries/reads.ts', "iods.find({}) && peers.call('collector', x)")
    source('iods/src/iods/queries/writes.ts', 'iods.updateOne({}, {})')
    source('community/src/queries/writes.ts', 'users.bulkWrite([])')
    source('iods/src/iods/commands/writes.ts', 'iods.updateOne({}, {})')
    source('collector/src/records/commands/delivers.ts', "peers.call('sightings', x)")
    source('collector/src/records/commands/calls.ts', "peers\n  .call('narratives', x)")
    expect(serviceFaults(join(folder, 'ruled')).sort()).toEqual([
      'services/collector/src/records/commands/calls.ts calls against the order: collector → narratives',
      'services/community/src/queries/writes.ts is a query and writes to the database',
      'services/iods/src/iods/queries/writes.ts is a query and writes to the database',
    ])
  })
})
