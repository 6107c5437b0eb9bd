import { defineConfig } from 'vitest/config'
import { watchedForks } from '../../lib/vitest/watched-forks.mjs'

export default defineConfig({
  test: {
    root: import.meta.dirname,
    include: ['*.case.ts'],
    setupFiles: ['../../lib/vitest/heartbeat.mjs'],
    // Files that load in time do so on a busy machine, too. All at once: each waits for the limit.
    pool: watchedForks(20_000),
    maxWorkers: 3,
  },
})
