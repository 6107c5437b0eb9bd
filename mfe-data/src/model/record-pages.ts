/** One page of records as it was read; `total` counts all of them. */
export interface RecordPage<T extends { id: string }> {
  items: T[]
  total: number | null
  nextCursor: string | null
}

/** The records of all pages, each once. */
export function flattenPages<T extends { id: string }>(pages: readonly RecordPage<T>[]): T[] {
  const byId = new Map<string, T>()
  for (const { items } of pages) for (const item of items) if (!byId.has(item.id)) byId.set(item.id, item)
  return [...byId.values()]
}

/**
 * The pages after the first one was read again. Pages further down stay when the new first page reaches into what is
 * already there, since the list only grows at its start; otherwise there would be a gap, and they go.
 */
export function replaceFirstPage<T extends { id: string }>(
  pages: readonly RecordPage<T>[],
  first: RecordPage<T>,
): RecordPage<T>[] {
  const last = first.items.at(-1)
  const known = flattenPages(pages)
  const position = known.findIndex(item => item.id === last?.id)
  if (pages.length < 2 || position === -1) return [first]
  const rest = known.slice(position + 1)
  return [first, { items: rest, total: first.total, nextCursor: pages.at(-1)?.nextCursor ?? null }]
}

/** The pages without one record. */
export const withoutRecord = <T extends { id: string }>(
  pages: readonly RecordPage<T>[],
  id: string,
): RecordPage<T>[] =>
  pages.map(page => ({
    items: page.items.filter(item => item.id !== id),
    total: page.total === null ? null : Math.max(0, page.total - 1),
    nextCursor: page.nextCursor,
  }))
