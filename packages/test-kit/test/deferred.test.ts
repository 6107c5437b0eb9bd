import { expect, test } from 'vitest'
import { deferred } from '../src/index.js'

test('settles a promise once, also before it is awaited', async () => {
  const answer = deferred<number>()
  answer.resolve(1)
  answer.reject(new Error('too late'))
  expect(await answer.promise).toBe(1)

  const refused = deferred()
  refused.reject(new Error('no'))
  await expect(refused.promise).rejects.toThrow('no')
})
