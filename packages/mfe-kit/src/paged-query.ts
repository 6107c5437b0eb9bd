import type {
  InfiniteData,
  QueryKey,
  UseInfiniteQueryOptions,
  UseInfiniteQueryResult,
} from '@tanstack/react-query'
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

/** A paginated list of the API. Each page has the cursor of the next one, null at the end. */
export function usePagedQuery<P extends HasNextCursor>({
  readPage,
  ...options
}: PagedOptions<P>): UseInfiniteQueryResult<InfiniteData<P, Cursor>> {
  return useInfiniteQuery<P, Error, InfiniteData<P, Cursor>, QueryKey, Cursor>({
    ...options,
    queryFn: ({ pageParam, signal }) => readPage(pageParam === null ? {} : { cursor: pageParam }, signal),
    initialPageParam: null,
    getNextPageParam: page => page.nextCursor,
  })
}
