/** A record's place in the list: its id, and the cursor of a page that holds it; null is the first page. */
export interface Slot {
  id: string
  cursor: string | null
}

/** The places of the records of one page as it was read; `total` counts all records. */
export interface SlotPage {
  slots: Slot[]
  total: number | null
  nextCursor: string | null
}

/** The places of all pages' records, each record once. */
export function flattenPages(pages: readonly SlotPage[]): Slot[] {
  const byId = new Map<string, Slot>()
  for (const { slots } of pages) for (const slot of slots) if (!byId.has(slot.id)) byId.set(slot.id, slot)
  return [...byId.values()]
}

/**
 * The pages after the first one was read again. What is further down stays when the new first page reaches into what is
 * already there, since the list only grows at its start; otherwise there would be a gap, and it goes.
 */
export function replaceFirstPage(pages: readonly SlotPage[], first: SlotPage): SlotPage[] {
  const known = flattenPages(pages)
  const position = known.findIndex(slot => slot.id === first.slots.at(-1)?.id)
  const rest = known.slice(position + 1)
  if (first.nextCursor === null || position === -1 || rest.length === 0) return [first]
  // What new records pushed out of the first page begins the one behind it.
  const { nextCursor } = first
  const slots = rest.map(slot => (slot.cursor === null ? { id: slot.id, cursor: nextCursor } : slot))
  return [first, { slots, total: first.total, nextCursor: pages.at(-1)?.nextCursor ?? null }]
}

/** The pages without some records; `total` is how many are left where that was told, else one less for each. */
export function withoutRecords(
  pages: readonly SlotPage[],
  ids: readonly string[],
  total?: number | null,
): SlotPage[] {
  const gone = new Set(ids)
  return pages.map(page => ({
    slots: page.slots.filter(({ id }) => !gone.has(id)),
    total: total ?? (page.total && page.total - gone.size),
    nextCursor: page.nextCursor,
  }))
}
