/** What every package's vitest.config.ts builds on: workspace packages are read from source, never from a stale build. */
export const nodeTests = (name: string) => ({
  // Without `module`, which Node doesn't know either: it may lead to files that only a bundler can read.
  resolve: { conditions: ['source', 'node', 'development|production'] },
  ssr: { resolve: { conditions: ['source', 'node', 'development|production'] } },
  test: { name, include: ['test/**/*.test.ts'], testTimeout: 20_000, hookTimeout: 60_000 },
})

export const browserTests = (name: string) => ({
  resolve: { conditions: ['source', 'module', 'browser', 'development|production'] },
  // For test files that run in Node.
  ssr: { resolve: { conditions: ['source', 'module', 'node', 'development|production'] } },
  test: {
    name,
    environment: 'happy-dom',
    include: ['test/**/*.test.{ts,tsx}'],
    testTimeout: 20_000,
    hookTimeout: 60_000,
  },
})
