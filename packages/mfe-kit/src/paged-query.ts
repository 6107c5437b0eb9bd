import type { PagedState, QueryState } from '@iodine/ui'
import {
  hashKey,
  type InfiniteData,
  type QueryKey,
  type UseInfiniteQueryOptions,
  useInfiniteQuery,
  useQueryClient,
} from '@tanstack/react-query'
import { useCallback, useMemo } from 'react'

type Cursor = string | null

interface PageOf {
  items?: unknown
  /** Number of the items of all pages. */
  total?: number | null
  nextCursor: Cursor
}

type ItemOf<P extends PageOf> = P['items'] extends readonly (infer T)[] ? T : P['items']

type PagedOptions<P> = Omit<
  UseInfiniteQueryOptions<P, Error, InfiniteData<P, Cursor>, QueryKey, Cursor>,
  'queryFn' | 'initialPageParam' | 'getNextPageParam' | 'select'
> & {
  /** Reads one page. `page` contains query parameters: empty for the first page, then the cursor. */
  readPage: (page: { cursor?: string }, signal: AbortSignal) => Promise<P>
}

export interface PagedQuery<P extends PageOf> extends QueryState<ItemOf<P>[]> {
  /** The items of all loaded pages; undefined before the first page. Also as `data`, for `LoadingPanel`. */
  items: ItemOf<P>[] | undefined
  /** Null if the pages do not contain it. */
  total: number | null
  pages: P[] | undefined
  /** For `LoadMore`. */
  more: PagedState
  error: Error | null
  /** Whether the items belong to the previous key, while those of the current key load. */
  isPlaceholderData: boolean
  /** Time of the last successful request, in milliseconds since the epoch. */
  dataUpdatedAt: number
}

/**
 * Reads a paginated list of the API. Each page contains the cursor of the next one, null at the end. `error` is the
 * error of the list, `more.nextPageError` that of the next page.
 */
export function usePagedQuery<P extends PageOf>({ readPage, ...options }: PagedOptions<P>): PagedQuery<P> {
  const query = useInfiniteQuery<P, Error, InfiniteData<P, Cursor>, QueryKey, Cursor>({
    ...options,
    queryFn: ({ pageParam, signal }) => readPage(pageParam === null ? {} : { cursor: pageParam }, signal),
    initialPageParam: null,
    getNextPageParam: page => page.nextCursor,
  })
  const { data, error, isFetchNextPageError, fetchNextPage: readNext } = query
  const cache = useQueryClient().getQueryCache()
  const hash = hashKey(options.queryKey)
  // Joins a request for the next page, which TanStack would cancel and repeat; cancels a refetch of the list.
  const fetchNextPage = useCallback(() => {
    const state = cache.get(hash)?.state
    const isUnderWay = state?.fetchStatus !== 'idle' && state?.fetchMeta?.fetchMore?.direction === 'forward'
    return readNext({ cancelRefetch: !isUnderWay })
  }, [cache, hash, readNext])
  const pages = data?.pages
  const items = useMemo(() => pages?.flatMap(page => (page.items ?? []) as ItemOf<P>), [pages]) as
    | ItemOf<P>[]
    | undefined
  return {
    data: items,
    items,
    total: pages?.[0]?.total ?? null,
    pages,
    more: {
      hasNextPage: query.hasNextPage,
      isFetchingNextPage: query.isFetchingNextPage,
      fetchNextPage,
      nextPageError: isFetchNextPageError ? error : null,
    },
    error: isFetchNextPageError ? null : error,
    isFetching: query.isFetching,
    isPlaceholderData: query.isPlaceholderData,
    dataUpdatedAt: query.dataUpdatedAt,
    refetch: query.refetch,
  }
}
