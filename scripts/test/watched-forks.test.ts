/** @module-tag long */
import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { createRequire } from 'node:module'
import { dirname, join } from 'node:path'
import { expect, it } from 'vitest'

const vitest = join(dirname(createRequire(import.meta.url).resolve('vitest/package.json')), 'vitest.mjs')

it('a test file that spins or never loads is ended and named, one that waits is not', {
  timeout: 180_000,
}, async () => {
  const child = spawn(process.execPath, [vitest, 'run', '--config', 'never-ends/vitest.config.mjs'], {
    cwd: import.meta.dirname,
    env: { PATH: process.env.PATH, NO_COLOR: '1' },
    stdio: ['ignore', 'pipe', 'pipe'],
  })
  let said = ''
  for (const stream of [child.stdout, child.stderr])
    stream.on('data', chunk => {
      said += chunk
    })
  const [status] = await once(child, 'close')
  expect(said).toMatch(/spins\.case\.ts keeps its event loop busy: ended after 20 s/)
  expect(said).toMatch(/loads\.case\.ts does not finish loading: ended after 20 s/)
  expect(said).not.toMatch(/ends\.case\.ts (keeps|does)/)
  expect(said).toContain('1 passed')
  expect(status).toBe(1)
  // Includes vitest's start and one wait of 25 s.
})
