import { expect, test, vi } from 'vitest'
import { ApiError } from '../src'
import { createQueryClient, queryClientFor } from '../src/query'

const attempts = async (error: Error) => {
  const queryFn = vi.fn(() => Promise.reject(error))
  const client = createQueryClient()
  client.setDefaultOptions({ queries: { ...client.getDefaultOptions().queries, retryDelay: 1 } })
  await expect(
    client.fetchQuery({ queryKey: ['x'], queryFn, retry: client.getDefaultOptions().queries?.retry }),
  ).rejects.toBe(error)
  return queryFn.mock.calls.length
}

test('what the client got wrong is not asked again, what the network or a server did is, once', async () => {
  expect(await attempts(new ApiError(404, 'Not found'))).toBe(1)
  expect(await attempts(new ApiError(503, null))).toBe(2)
  expect(await attempts(new ApiError(0, null))).toBe(2)
})

test('the cache lasts while the user stays and is gone for the next one', () => {
  const clientFor = queryClientFor()
  const first = clientFor('ada')
  first.setQueryData(['secret'], 1)
  expect(clientFor('ada')).toBe(first)
  const second = clientFor('bob')
  expect(second.getQueryData(['secret'])).toBeUndefined()
  expect(first.getQueryData(['secret'])).toBeUndefined()
})
