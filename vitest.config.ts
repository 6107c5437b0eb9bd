import { existsSync, readFileSync } from 'node:fs'
import { availableParallelism } from 'node:os'
import { basename, join } from 'node:path'
import { defineConfig } from 'vitest/config'
import { packages } from './scripts/lib/packages.mjs'
import { watchedForks } from './scripts/lib/vitest/watched-forks.mjs'

const root = import.meta.dirname

/** What all tests have. */
const common = {
  pool: watchedForks(),
  // Far above what a test or hook needs on a busy machine: exceeding it means a hang.
  testTimeout: 120_000,
  hookTimeout: 300_000,
  expect: { poll: { timeout: 30_000 } },
}
const setupFiles = ['heartbeat.mjs', 'unexpected-errors.mjs'].map(file =>
  join(root, 'scripts/lib/vitest', file),
)

// Workspace packages are resolved to source, never to a stale build. Without `module`, a condition that Node
// doesn't know: it may select files that only a bundler can read.
const inNode = { conditions: ['source', 'node', 'development|production'] }

const nodeTests = {
  resolve: inNode,
  ssr: { resolve: inNode },
  test: { ...common, setupFiles, include: ['test/**/*.test.ts'] },
}

const browserTests = {
  resolve: { conditions: ['source', 'module', 'browser', 'development|production'] },
  // For test files that run in Node.
  ssr: { resolve: inNode },
  // Only the tests request files from this server; a package may be behind a link out of the workspace.
  server: { fs: { strict: false } },
  test: {
    ...common,
    environment: join(root, 'packages/ui/testing/environment.ts'),
    setupFiles: [...setupFiles, join(root, 'packages/ui/testing/setup.ts')],
    include: ['test/**/*.test.{ts,tsx}'],
  },
}

const needsReact = (folder: string) => {
  const manifest = join(folder, 'package.json')
  return existsSync(manifest) && 'react' in (JSON.parse(readFileSync(manifest, 'utf8')).dependencies ?? {})
}

/** One project for each folder with tests, by the folder's name. What depends on React is tested in a page. */
const projects = [...packages(root), 'scripts']
  .map(folder => join(root, folder))
  .filter(folder => existsSync(join(folder, 'test')))
  .map(folder => {
    const { test, ...options } = needsReact(folder) ? browserTests : nodeTests
    return { ...options, root: folder, test: { ...test, name: basename(folder) } }
  })

export default defineConfig({
  // Tests mostly wait for servers and timers: one worker more than cores keeps the cores busy.
  test: { maxWorkers: availableParallelism() + 1, projects },
})
