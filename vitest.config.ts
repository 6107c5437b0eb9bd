import { availableParallelism } from 'node:os'
import { defineConfig } from 'vitest/config'

export default defineConfig({
  test: {
    // Much of the time goes to waiting for servers and timers: one more than the cores keeps them busy.
    maxWorkers: availableParallelism() + 1,
    projects: [
      'packages/*/vitest.config.ts',
      'tools/*/vitest.config.ts',
      'services/*/vitest.config.ts',
      '{gateway,shell,mfe-*,extension,deploy,scripts}/vitest.config.ts',
    ],
  },
})
