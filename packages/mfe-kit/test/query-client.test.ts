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

test('retries network and server errors once, and client errors never', async () => {
  expect(await attempts(new ApiError(404, 'Not found'))).toBe(1)
  expect(await attempts(new ApiError(503, null))).toBe(2)
  expect(await attempts(new ApiError(0, null))).toBe(2)
})

test('keeps the cache for the same user and clears it for the next one', () => {
  const clientFor = queryClientFor()
  const first = clientFor('ada')
  first.setQueryData(['secret'], 1)
  expect(clientFor('ada')).toBe(first)
  const second = clientFor('bob')
  expect(second.getQueryData(['secret'])).toBeUndefined()
  expect(first.getQueryData(['secret'])).toBeUndefined()
})
