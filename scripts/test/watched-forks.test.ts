/** @module-tag long */
import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { createRequire } from 'node:module'
import { dirname, join } from 'node:path'
import { expect, it } from 'vitest'

const vitest = join(dirname(createRequire(import.meta.url).resolve('vitest/package.json')), 'vitest.mjs')

it('ends and names a test file that spins or never loads, but not one that waits', {
  timeout: 180_000,
}, async () => {
  const child = spawn(process.execPath, [vitest, 'run', '--config', 'never-ends/vitest.config.mjs'], {
    cwd: import.meta.dirname,
    env: { PATH: process.env.PATH, NO_COLOR: '1' },
    stdio: ['ignore', 'pipe', 'pipe'],
  })
  let output = ''
  for (const stream of [child.stdout, child.stderr])
    stream.on('data', chunk => {
      output += chunk
    })
  const [status] = await once(child, 'close')
  expect(output).toMatch(/spins\.case\.ts blocks its event loop: ended after 20 s/)
  expect(output).toMatch(/loads\.case\.ts does not finish loading: ended after 20 s/)
  expect(output).not.toMatch(/ends\.case\.ts (blocks|does)/)
  expect(output).toContain('1 passed')
  expect(status).toBe(1)
  // Includes the start of vitest and one wait of 25 s.
})
