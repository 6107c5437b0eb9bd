import type { InfiniteData, QueryKey, UseInfiniteQueryOptions } from '@tanstack/react-query'
import { useInfiniteQuery } from './infinite-query'

type Cursor = string | null

interface HasNextCursor {
  nextCursor: Cursor
}

type PagedOptions<P> = Omit<
  UseInfiniteQueryOptions<P, Error, InfiniteData<P, Cursor>, QueryKey, Cursor>,
  'queryFn' | 'initialPageParam' | 'getNextPageParam' | 'select'
> & {
  /** Reads one page. `page` is for the request's query: empty for the first page, then the cursor. */
  readPage: (page: { cursor?: string }, signal: AbortSignal) => Promise<P>
}

/**
 * A paginated list of the API. Each page has the cursor of the next one, null at the end. `error` is that of the
 * list, for `LoadingPanel`; `nextPageError` that of the next page alone, for `LoadMore`.
 */
export function usePagedQuery<P extends HasNextCursor>({ readPage, ...options }: PagedOptions<P>) {
  const query = useInfiniteQuery<P, Error, InfiniteData<P, Cursor>, QueryKey, Cursor>({
    ...options,
    queryFn: ({ pageParam, signal }) => readPage(pageParam === null ? {} : { cursor: pageParam }, signal),
    initialPageParam: null,
    getNextPageParam: page => page.nextCursor,
  })
  const { error, isFetchNextPageError } = query
  return {
    ...query,
    error: isFetchNextPageError ? null : error,
    nextPageError: isFetchNextPageError ? error : null,
  }
}
