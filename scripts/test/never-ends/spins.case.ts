import { test } from 'vitest'

test('spins', () => {
  // Keeps the event loop without keeping a core.
  Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0)
})
