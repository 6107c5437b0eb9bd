import { expect, test } from 'vitest'
import { deferred } from '../src/index.js'

test('a promise is settled once, from outside, also before anyone waits', async () => {
  const answer = deferred<number>()
  answer.resolve(1)
  answer.reject(new Error('too late'))
  expect(await answer.promise).toBe(1)

  const refused = deferred()
  refused.reject(new Error('no'))
  await expect(refused.promise).rejects.toThrow('no')
})
