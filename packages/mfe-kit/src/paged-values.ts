import { useQueries } from '@iodine/mfe-kit/query'
import { pagesInView } from './evidence/in-view'

/** How long the values are shown without another request, in milliseconds. */
export const FRESH_MS = 60_000

/**
 * What belongs to the items in view of a list. One request a page of `size` ids, however the list is scrolled. `from` and
 * `to` are the indexes of the items in view.
 * @param combine joins the answers; keeps its identity
 */
export function usePagedValues<T, R>(
  { key, size, read, combine }: PagedValues<T, R>,
  ids: readonly string[],
  from: number,
  to: number,
): R {
  return useQueries({
    queries: pagesInView(ids, size, from, to).map(page => ({
      queryKey: [...key, ...page],
      queryFn: ({ signal }: { signal: AbortSignal }) => read(page, signal),
      staleTime: FRESH_MS,
    })),
    combine: combine as never,
  }) as R
}

interface PagedValues<T, R> {
  key: readonly string[]
  size: number
  read: (ids: string[], signal: AbortSignal) => Promise<T>
  combine: (pages: { data: T | undefined }[]) => R
}

/** Joins answers that have values by id. */
export const mergeById = <T>(pages: { data: Readonly<Record<string, T>> | undefined }[]) =>
  Object.assign({}, ...pages.map(({ data }) => data)) as Readonly<Record<string, T>>
