import { existsSync, readdirSync, readFileSync } from 'node:fs'
import { availableParallelism } from 'node:os'
import { join } from 'node:path'
import { defineConfig } from 'vitest/config'
import { packages } from './scripts/lib/packages.mjs'
import { ProjectSequencer } from './scripts/lib/vitest/sequencer.mjs'
import { watchedForks } from './scripts/lib/vitest/watched-forks.mjs'

const root = import.meta.dirname

/** What all tests have. Files share a worker's modules, so each closes what it opens and restores what it changes. */
const common = {
  pool: watchedForks(),
  isolate: false,
  // The same on each machine.
  env: { LANG: 'en_GB.UTF-8', TZ: 'Europe/Paris' },
  // Far above what a test or hook needs on a busy machine: exceeding it means a hang.
  testTimeout: 120_000,
  hookTimeout: 300_000,
  expect: { poll: { timeout: 30_000 } },
}
const setupFiles = ['heartbeat.mjs', 'wait-limits.mjs', 'restore.mjs', 'unexpected-errors.mjs'].map(file =>
  join(root, 'scripts/lib/vitest', file),
)

// Workspace packages are resolved to source, never to a stale build. Without `module`, a condition that Node
// doesn't know: it may select files that only a bundler can read.
const inNode = { conditions: ['source', 'node', 'development|production'] }

/** Files that replace the document, which other files' components are bound to. Each costs a process and a happy-dom. */
const OWN_PAGE = [
  'extension/test/{keep,page-parts,painter,reader}.test.ts',
  'packages/ui/test/page-end.test.tsx',
]
const inPage = {
  resolve: { conditions: ['source', 'module', 'browser', 'development|production'] },
  // Only the tests request files from this server; a package may be behind a link out of the workspace.
  server: { fs: { strict: false } },
}
const pageTest = {
  ...common,
  environment: join(root, 'packages/ui/testing/environment.ts'),
  setupFiles: [...setupFiles, join(root, 'packages/ui/testing/setup.ts')],
}

const needsReact = (folder: string) => {
  const manifest = join(root, folder, 'package.json')
  return existsSync(manifest) && 'react' in (JSON.parse(readFileSync(manifest, 'utf8')).dependencies ?? {})
}
const folders = [...packages(root), 'scripts'].filter(folder => existsSync(join(root, folder, 'test')))
const pages = folders.filter(needsReact)
const testsOf = (chosen: string[]) => chosen.map(folder => `${folder}/test/**/*.test.{ts,tsx}`)
/** Test files of the folders with the comment in their first two lines. */
const filesWith = (comment: string, chosen: string[]) =>
  chosen
    .flatMap(folder =>
      readdirSync(join(root, folder, 'test'), { recursive: true }).map(name => `${folder}/test/${name}`),
    )
    .filter(file => /\.test\.tsx?$/.test(file))
    .filter(file => readFileSync(join(root, file), 'utf8').split('\n', 2).includes(comment))
/** Files of the long tier, where its tests are filtered out: vitest would import them all the same. */
const skipped = process.argv.includes('--tags-filter=!long')
  ? filesWith('/** @module-tag long */', folders)
  : []
/** Files without a page. Among others, each would end a worker that has one. */
const pageless = filesWith('// @vitest-environment node', pages)

export default defineConfig({
  test: {
    globalSetup: join(root, 'packages/test-kit/testing/worker-redis.ts'),
    // Tests mostly wait for servers and timers: one worker more than cores keeps the cores busy.
    maxWorkers: availableParallelism() + 1,
    sequence: { sequencer: ProjectSequencer },
    tags: [{ name: 'long', description: 'Looks for rare faults: runs in `npm run test:all` only.' }],
    projects: [
      {
        resolve: inNode,
        ssr: { resolve: inNode },
        test: {
          ...common,
          name: 'node',
          setupFiles,
          include: [...testsOf(folders.filter(folder => !pages.includes(folder))), ...pageless],
          exclude: [...OWN_PAGE, ...skipped],
        },
      },
      {
        ...inPage,
        test: {
          ...pageTest,
          name: 'page',
          setupFiles: [...pageTest.setupFiles, join(root, 'packages/ui/testing/same-page.ts')],
          include: testsOf(pages),
          exclude: [...OWN_PAGE, ...pageless, ...skipped],
        },
      },
      { ...inPage, test: { ...pageTest, name: 'own page', isolate: true, include: OWN_PAGE } },
    ],
  },
})
