import { test } from 'vitest'

test('spins', () => {
  // Blocks the event loop without using a core.
  Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0)
})
