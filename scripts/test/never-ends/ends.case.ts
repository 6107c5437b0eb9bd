import { expect, test } from 'vitest'

// Longer than the limit for a file without a heartbeat.
test('waits', { timeout: 60_000 }, async () => {
  await new Promise(resolve => setTimeout(resolve, 25_000))
  expect(true).toBe(true)
})
