import { defineConfig } from 'vitest/config'
import { watchedForks } from '../../lib/vitest/watched-forks.mjs'

export default defineConfig({
  test: {
    root: import.meta.dirname,
    include: ['*.case.ts'],
    setupFiles: ['../../lib/vitest/heartbeat.mjs'],
    pool: watchedForks(5_000),
  },
})
