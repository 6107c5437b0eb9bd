import { fileURLToPath } from 'node:url'
import { watchedForks } from './scripts/lib/vitest/watched-forks.mjs'

const path = (file: string) => fileURLToPath(new URL(file, import.meta.url))

// Far above what a test or hook needs on a busy machine: exceeding it means a hang.
const limits = { testTimeout: 60_000, hookTimeout: 120_000, expect: { poll: { timeout: 30_000 } } }
const pool = watchedForks()
const setup = [path('scripts/lib/vitest/heartbeat.mjs'), path('scripts/lib/vitest/unexpected-errors.mjs')]

// Without `module`, a condition that Node doesn't know: it may select files that only a bundler can read.
const inNode = { conditions: ['source', 'node', 'development|production'] }

/**
 * Base of every package's vitest.config.ts. Workspace packages are resolved to source, never to a stale
 * build.
 */
export const nodeTests = (name: string) => ({
  resolve: inNode,
  ssr: { resolve: inNode },
  test: { name, include: ['test/**/*.test.ts'], setupFiles: setup, pool, ...limits },
})

export const browserTests = (name: string) => ({
  resolve: { conditions: ['source', 'module', 'browser', 'development|production'] },
  // For test files that run in Node.
  ssr: { resolve: inNode },
  // Only the tests request files from this server; a package may be behind a link out of the workspace.
  server: { fs: { strict: false } },
  test: {
    name,
    environment: path('packages/ui/testing/environment.ts'),
    setupFiles: [...setup, path('packages/ui/testing/setup.ts')],
    include: ['test/**/*.test.{ts,tsx}'],
    pool,
    ...limits,
  },
})
