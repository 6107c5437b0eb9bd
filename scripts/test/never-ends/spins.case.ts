import { test } from 'vitest'

test('spins', () => {
  for (;;);
})
