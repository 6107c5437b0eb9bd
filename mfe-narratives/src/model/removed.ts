import type { Narrative } from '@iodine/contracts'

/** A deleted narrative whose place in the list is kept. */
export interface Removed {
  id: string
  /** Its position among the shown items. */
  index: number
  /** Height of its card in pixels. */
  height: number
}

export type Shown = { narrative: Narrative; removed?: never } | { narrative?: never; removed: Removed }

/** The listed narratives, with the places of removed ones, whether these are still listed or not. */
export function withRemoved(listed: readonly Narrative[], removed: readonly Removed[]): Shown[] {
  const gone = new Set(removed.map(({ id }) => id))
  const shown: Shown[] = listed.filter(({ id }) => !gone.has(id)).map(narrative => ({ narrative }))
  for (const each of removed.toSorted((a, b) => a.index - b.index))
    shown.splice(each.index, 0, { removed: each })
  return shown
}
