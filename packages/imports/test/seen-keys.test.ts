import { expect, it } from 'vitest'
import { SeenKeys } from '../src/seen-keys.js'

it('keys are seen once they were added, and no others', () => {
  const seen = new SeenKeys()
  const keyOf = (n: number) => `post X:${1_988_800_000_000_000_000n + BigInt(n)}`
  const wrong: number[] = []
  for (let n = 0; n < 50_000; n += 1) {
    if (seen.has(keyOf(n))) wrong.push(n)
    seen.add(keyOf(n))
    seen.add(keyOf(n))
  }
  for (let n = 0; n < 50_000; n += 1) if (!seen.has(keyOf(n))) wrong.push(n)
  expect(wrong).toEqual([])
})
