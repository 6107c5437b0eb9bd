import { SOURCES, type Source, type Stored } from '@iodine/contracts'
import { useHost } from '@iodine/mfe-kit'
import { useInfiniteQuery, useQueryClient } from '@iodine/mfe-kit/query'
import { useCallback, useMemo } from 'react'
import { flattenPages, type RecordPage, replaceFirstPage, withoutRecord } from '../model/record-pages'

const PAGE_SIZE = 20

type StoredPage = RecordPage<Stored>
interface Pages {
  pages: StoredPage[]
  pageParams: (string | null)[]
}

const recordsKey = (source: Source) => ['records', source]

function useFetchPage() {
  const { api } = useHost()
  return useCallback(
    (source: Source, cursor: string | null): Promise<StoredPage> =>
      api.page('GET /:source/data', {
        params: { source },
        query: { limit: PAGE_SIZE, ...(cursor !== null && { cursor }) },
      }),
    [api],
  )
}

export interface Records {
  /** Those read so far; undefined before the first page. */
  records: Stored[] | undefined
  /** All of them; undefined before the first page. */
  total: number | undefined
  error: Error | null
  isFetching: boolean
  hasMore: boolean
  fetchMore: () => void
  retry: () => void
}

function useRecords(source: Source): Records {
  const fetchPage = useFetchPage()
  const query = useInfiniteQuery({
    queryKey: recordsKey(source),
    queryFn: ({ pageParam }) => fetchPage(source, pageParam),
    initialPageParam: null as string | null,
    getNextPageParam: page => page.nextCursor,
    // Reading the list again would read every page of it: `useReloadRecords` reads the first alone.
    staleTime: Number.POSITIVE_INFINITY,
    gcTime: 0,
  })
  const { data, error, fetchNextPage, hasNextPage, isFetching, isFetchNextPageError, refetch } = query
  return useMemo(() => {
    const records = data && flattenPages(data.pages)
    return {
      records,
      total: data ? (data.pages[0]?.total ?? records?.length) : undefined,
      error,
      isFetching,
      hasMore: hasNextPage && !isFetchNextPageError,
      fetchMore: () => {
        if (!isFetching) void fetchNextPage()
      },
      retry: () => void (isFetchNextPageError ? fetchNextPage() : refetch()),
    }
  }, [data, error, isFetching, isFetchNextPageError, hasNextPage, fetchNextPage, refetch])
}

/** The records of each source, read page by page. */
export function useAllRecords(): Record<Source, Records> {
  const tiktok = useRecords('tiktok')
  const telegram = useRecords('telegram')
  const blog = useRecords('blog')
  return { tiktok, telegram, blog }
}

/** Reads the first page of each source anew; rejects when one of them can't be read. */
export function useReloadRecords(): () => Promise<void> {
  const fetchPage = useFetchPage()
  const queryClient = useQueryClient()
  return useCallback(async () => {
    const reload = async (source: Source) => {
      const first = await fetchPage(source, null)
      queryClient.setQueryData<Pages>(recordsKey(source), current => {
        const pages = replaceFirstPage(current?.pages ?? [], first)
        return { pages, pageParams: pages.map((_, index) => pages[index - 1]?.nextCursor ?? null) }
      })
    }
    await Promise.all(SOURCES.map(reload))
  }, [fetchPage, queryClient])
}

/** Deletes a record on the server, then here. */
export function useDeleteRecord(): (source: Source, id: string) => Promise<void> {
  const { api } = useHost()
  const queryClient = useQueryClient()
  return useCallback(
    async (source, id) => {
      await api.call('DELETE /:source/data/:id', { params: { source, id } })
      queryClient.setQueryData<Pages>(
        recordsKey(source),
        current => current && { ...current, pages: withoutRecord(current.pages, id) },
      )
    },
    [api, queryClient],
  )
}
