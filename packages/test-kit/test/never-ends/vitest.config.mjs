import { defineConfig } from 'vitest/config'
import { watchedForks } from '../../../../scripts/lib/vitest/watched-forks.mjs'

export default defineConfig({
  test: {
    root: import.meta.dirname,
    include: ['*.case.ts'],
    setupFiles: ['../../../../scripts/lib/vitest/heartbeat.mjs'],
    pool: watchedForks(5_000),
  },
})
