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
