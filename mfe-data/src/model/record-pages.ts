/** A record's entry in the list: its id, and the cursor of a page that contains it (null for the first page). */
export interface Slot {
  id: string
  cursor: string | null
}

/** The slots of one page. `total` is the number of records on all pages. */
export interface SlotPage {
  slots: Slot[]
  total: number | null
  nextCursor: string | null
}

/** Returns the slots of all pages, without duplicates. */
export function flattenPages(pages: readonly SlotPage[]): Slot[] {
  const byId = new Map<string, Slot>()
  for (const { slots } of pages) for (const slot of slots) if (!byId.has(slot.id)) byId.set(slot.id, slot)
  return [...byId.values()]
}

/**
 * Replaces the first page. The list grows only at its start, so later slots are kept if the new page overlaps the
 * loaded list. Otherwise records in between may be missing, and only the new page is kept.
 */
export function replaceFirstPage(pages: readonly SlotPage[], first: SlotPage): SlotPage[] {
  const known = flattenPages(pages)
  const position = known.findIndex(slot => slot.id === first.slots.at(-1)?.id)
  const rest = known.slice(position + 1)
  if (first.nextCursor === null || position === -1 || rest.length === 0) return [first]
  // New records move older ones out of the first page: these become the start of the second page.
  const { nextCursor } = first
  const slots = rest.map(slot => (slot.cursor === null ? { id: slot.id, cursor: nextCursor } : slot))
  return [first, { slots, total: first.total, nextCursor: pages.at(-1)?.nextCursor ?? null }]
}

/** Returns the pages without the given records. The new count is `total`, by default the old one minus the ids. */
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
