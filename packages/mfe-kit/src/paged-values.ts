import { useQueries } from '@tanstack/react-query'

/** Time for which cached values are not requested again, in milliseconds. */
export const FRESH_MS = 60_000

/**
 * Reads values of a list's items in view. It sends one request per page of `size` ids; scrolling does not repeat
 * requests. `from` and `to` are the indexes of the items in view.
 * @param combine joins the responses; its identity must be stable
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

/** Merges responses that contain values by id. */
export const mergeById = <T>(pages: { data: Readonly<Record<string, T>> | undefined }[]) =>
  Object.assign({}, ...pages.map(({ data }) => data)) as Readonly<Record<string, T>>

/**
 * Returns the ids of the list in pages of `size`, limited to the pages that overlap `from` (inclusive) to `to`
 * (exclusive). Fixed page limits let scrolling reuse cached pages.
 */
export function pagesInView(ids: readonly string[], size: number, from: number, to: number): string[][] {
  const first = Math.max(0, Math.floor(from / size))
  const last = Math.min(Math.ceil(ids.length / size), Math.ceil(to / size))
  return Array.from({ length: Math.max(0, last - first) }, (_, n) =>
    ids.slice((first + n) * size, (first + n + 1) * size),
  )
}
