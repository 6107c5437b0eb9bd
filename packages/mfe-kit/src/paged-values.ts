import { useQueries } from '@tanstack/react-query'

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

/**
 * The pages of a list that a part of it, from index `from` up to `to`, is in: ids by pages of `size`, so that a
 * page is asked for once, however the list is scrolled.
 */
export function pagesInView(ids: readonly string[], size: number, from: number, to: number): string[][] {
  const first = Math.max(0, Math.floor(from / size))
  const last = Math.min(Math.ceil(ids.length / size), Math.ceil(to / size))
  return Array.from({ length: Math.max(0, last - first) }, (_, n) =>
    ids.slice((first + n) * size, (first + n + 1) * size),
  )
}
