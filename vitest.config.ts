import { availableParallelism } from 'node:os'
import { defineConfig } from 'vitest/config'

export default defineConfig({
  test: {
    // Tests mostly wait for servers and timers: one worker more than cores keeps the cores busy.
    maxWorkers: availableParallelism() + 1,
    projects: [
      'packages/*/vitest.config.ts',
      'tools/*/vitest.config.ts',
      'services/*/vitest.config.ts',
      '{gateway,shell,mfe-*,extension,deploy,scripts}/vitest.config.ts',
    ],
  },
})
