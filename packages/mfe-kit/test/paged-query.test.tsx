import { QueryClient } from '@tanstack/react-query'
import { act, cleanup, renderHook, waitFor } from '@testing-library/react'
import type { ReactNode } from 'react'
import { afterEach, expect, test } from 'vitest'
import { QueryClientProvider, usePagedQuery } from '../src/query'

afterEach(cleanup)

/** Mounts a list with numbered pages, whose requests the test answers one by one. */
const openList = async () => {
  const client = new QueryClient()
  const requests: { page: number; signal: AbortSignal; answer: () => void }[] = []
  const wrapper = ({ children }: { children: ReactNode }) => (
    <QueryClientProvider client={client}>{children}</QueryClientProvider>
  )
  const { result } = renderHook(
    () =>
      usePagedQuery({
        queryKey: ['numbers'],
        readPage: ({ cursor = '0' }, signal) =>
          new Promise<{ items: number[]; nextCursor: string }>(resolve => {
            const page = Number(cursor)
            const answer = () => resolve({ items: [page], nextCursor: String(page + 1) })
            requests.push({ page, signal, answer })
          }),
        retry: false,
      }),
    { wrapper },
  )
  await act(async () => requests[0]?.answer())
  await waitFor(() => expect(result.current.items).toEqual([0]))
  return { requests, list: () => result.current }
}

test('sends one request for the next page if it is requested twice at once', async () => {
  const { requests, list } = await openList()
  const { fetchNextPage } = list().more
  await act(async () => {
    const both = [fetchNextPage(), fetchNextPage()]
    for (const { answer } of requests.slice(1)) answer()
    await Promise.all(both)
  })
  expect(requests.map(({ page, signal }) => [page, signal.aborted])).toEqual([
    [0, false],
    [1, false],
  ])
  await waitFor(() => expect(list().items).toEqual([0, 1]))
})

test('cancels a refetch of the list in favour of the next page', async () => {
  const { requests, list } = await openList()
  await act(async () => {
    void list().refetch()
    const next = list().more.fetchNextPage()
    requests[2]?.answer()
    await next
  })
  expect(requests.map(({ page, signal }) => [page, signal.aborted])).toEqual([
    [0, false],
    [0, true],
    [1, false],
  ])
  await waitFor(() => expect(list().items).toEqual([0, 1]))
})

test('reports the error of a next page separately, and keeps the loaded items', async () => {
  const client = new QueryClient()
  const wrapper = ({ children }: { children: ReactNode }) => (
    <QueryClientProvider client={client}>{children}</QueryClientProvider>
  )
  const failure = new Error('503')
  let isDown = false
  const { result } = renderHook(
    () =>
      usePagedQuery({
        queryKey: ['letters'],
        readPage: async ({ cursor = 'a' }) => {
          if (isDown) throw failure
          return { items: [cursor], nextCursor: cursor === 'a' ? 'b' : null }
        },
        retry: false,
      }),
    { wrapper },
  )
  const seen = () => {
    const { items, error, more } = result.current
    return { items, error, nextPageError: more.nextPageError, hasNextPage: more.hasNextPage }
  }
  await waitFor(() => expect(seen().items).toEqual(['a']))
  isDown = true
  await act(async () => void (await result.current.more.fetchNextPage()))
  await waitFor(() =>
    expect(seen()).toEqual({ items: ['a'], error: null, nextPageError: failure, hasNextPage: true }),
  )
  await act(async () => void (await result.current.refetch()))
  await waitFor(() => expect(seen()).toMatchObject({ items: ['a'], error: failure, nextPageError: null }))
  isDown = false
  await act(async () => void (await result.current.more.fetchNextPage()))
  await waitFor(() =>
    expect(seen()).toEqual({ items: ['a', 'b'], error: null, nextPageError: null, hasNextPage: false }),
  )
})
