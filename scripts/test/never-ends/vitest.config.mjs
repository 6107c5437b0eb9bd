import { defineConfig } from 'vitest/config'
import { watchedForks } from '../../lib/vitest/watched-forks.mjs'

export default defineConfig({
  test: {
    root: import.meta.dirname,
    include: ['*.case.ts'],
    setupFiles: ['../../lib/vitest/heartbeat.mjs'],
    // Long enough for loading on a busy machine. All files run concurrently, since each waits for the limit.
    pool: watchedForks(20_000),
    maxWorkers: 3,
  },
})
