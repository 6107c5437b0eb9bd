import type { Iod } from '@iodine/contracts'

/** Maximum number of selected IODs. */
export const SELECTED_MAX = 5_000

/** The selected IODs by id, in selection order. */
export type Selection = ReadonlyMap<string, Iod>

export const EMPTY_SELECTION: Selection = new Map()

/** Returns the selection with IODs added, up to the maximum, or removed. `omitted` counts IODs beyond the maximum. */
export function withSelected(
  current: Selection,
  iods: readonly Iod[],
  isSelected: boolean,
): { selection: Selection; omitted: number } {
  const selection = new Map(current)
  let omitted = 0
  for (const iod of iods) {
    if (!isSelected) selection.delete(iod.id)
    else if (selection.has(iod.id) || selection.size < SELECTED_MAX) selection.set(iod.id, iod)
    else omitted++
  }
  return { selection, omitted }
}

/** Returns the items between two items of a list, both included, in list order. Without `fromId`, only `to`. */
export function rangeOf(iods: readonly Iod[], fromId: string | undefined, to: Iod): Iod[] {
  const ends = [fromId, to.id].map(id => iods.findIndex(iod => iod.id === id))
  return ends.includes(-1) ? [to] : iods.slice(Math.min(...ends), Math.max(...ends) + 1)
}
