import type { Iod } from '@iodine/contracts'

/** Maximum number of IODs that are selected at once. */
export const SELECTED_MAX = 5_000

/** The selected IODs by their ids, in the order of their selection. */
export type Selection = ReadonlyMap<string, Iod>

export const NOTHING: Selection = new Map()

/** The selection with IODs added, as far as there is room, or taken away. `left` is the number left out. */
export function withSelected(
  current: Selection,
  iods: readonly Iod[],
  isSelected: boolean,
): { selection: Selection; left: number } {
  const selection = new Map(current)
  let left = 0
  for (const iod of iods) {
    if (!isSelected) selection.delete(iod.id)
    else if (selection.has(iod.id) || selection.size < SELECTED_MAX) selection.set(iod.id, iod)
    else left++
  }
  return { selection, left }
}

/** The items from one to another of a list, both included, in the list's order; without `fromId` only `to`. */
export function rangeOf(iods: readonly Iod[], fromId: string | undefined, to: Iod): Iod[] {
  const ends = [fromId, to.id].map(id => iods.findIndex(iod => iod.id === id))
  return ends.includes(-1) ? [to] : iods.slice(Math.min(...ends), Math.max(...ends) + 1)
}
