import { fileURLToPath } from 'node:url'
import { watchedForks } from './scripts/lib/vitest/watched-forks.mjs'

const path = (file: string) => fileURLToPath(new URL(file, import.meta.url))

// A test or hook that takes longer hangs. Far more than one needs when the machine has other work to do.
const limits = { testTimeout: 60_000, hookTimeout: 120_000, expect: { poll: { timeout: 30_000 } } }
const pool = watchedForks()
const setup = [path('scripts/lib/vitest/heartbeat.mjs'), path('scripts/lib/vitest/unexpected-errors.mjs')]

// Without `module`, which Node doesn't know either: it may lead to files that only a bundler can read.
const inNode = { conditions: ['source', 'node', 'development|production'] }

/** What every package's vitest.config.ts builds on: workspace packages are read from source, never from a stale build. */
export const nodeTests = (name: string) => ({
  resolve: inNode,
  ssr: { resolve: inNode },
  test: { name, include: ['test/**/*.test.ts'], setupFiles: setup, pool, ...limits },
})

export const browserTests = (name: string) => ({
  resolve: { conditions: ['source', 'module', 'browser', 'development|production'] },
  // For test files that run in Node.
  ssr: { resolve: inNode },
  // Nobody but the tests asks this server for files; a package may stand behind a link out of the workspace.
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
