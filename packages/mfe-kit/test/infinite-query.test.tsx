import { QueryClient } from '@tanstack/react-query'
import { act, cleanup, renderHook, waitFor } from '@testing-library/react'
import type { ReactNode } from 'react'
import { afterEach, expect, test } from 'vitest'
import { useInfiniteQuery } from '../src/infinite-query'
import { QueryClientProvider, usePagedQuery } from '../src/query'

afterEach(cleanup)

/** A list with numbered pages. The test answers the requests one by one. */
const openList = async () => {
  const client = new QueryClient()
  const asked: { page: number; signal: AbortSignal; answer: () => void }[] = []
  const wrapper = ({ children }: { children: ReactNode }) => (
    <QueryClientProvider client={client}>{children}</QueryClientProvider>
  )
  const { result } = renderHook(
    () =>
      useInfiniteQuery({
        queryKey: ['numbers'],
        queryFn: ({ pageParam, signal }) =>
          new Promise<number>(resolve => {
            asked.push({ page: pageParam, signal, answer: () => resolve(pageParam) })
          }),
        initialPageParam: 0,
        getNextPageParam: last => last + 1,
        retry: false,
      }),
    { wrapper },
  )
  await act(async () => asked[0]?.answer())
  await waitFor(() => expect(result.current.data?.pages).toEqual([0]))
  return { asked, list: () => result.current }
}

test('asked for twice at once, the next page is read once', async () => {
  const { asked, list } = await openList()
  const { fetchNextPage } = list()
  await act(async () => {
    const both = [fetchNextPage(), fetchNextPage()]
    for (const { answer } of asked.slice(1)) answer()
    await Promise.all(both)
  })
  expect(asked.map(({ page, signal }) => [page, signal.aborted])).toEqual([
    [0, false],
    [1, false],
  ])
  await waitFor(() => expect(list().data?.pages).toEqual([0, 1]))
})

test('the next page goes before a reading anew of the list', async () => {
  const { asked, list } = await openList()
  await act(async () => {
    void list().refetch()
    const next = list().fetchNextPage()
    asked[2]?.answer()
    await next
  })
  expect(asked.map(({ page, signal }) => [page, signal.aborted])).toEqual([
    [0, false],
    [0, true],
    [1, false],
  ])
  await waitFor(() => expect(list().data?.pages).toEqual([0, 1]))
})

test('a next page that fails is its own error, and leaves the list without one', async () => {
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
