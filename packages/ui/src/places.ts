/** The place of something removed from a list. */
export interface Place {
  id: string
  /** Its position among the shown items. */
  index: number
}

/** An item of a list, or the place of one that is gone. */
export type Placed<T, P extends Place = Place> = { item: T; place?: never } | { item?: never; place: P }

/** The items, with the places of removed ones, whether these are still among them or not. */
export function withPlaces<T extends { id: string }, P extends Place>(
  items: readonly T[],
  places: readonly P[],
): Placed<T, P>[] {
  const gone = new Set(places.map(({ id }) => id))
  const shown: Placed<T, P>[] = items.filter(({ id }) => !gone.has(id)).map(item => ({ item }))
  for (const place of places.toSorted((a, b) => a.index - b.index)) shown.splice(place.index, 0, { place })
  return shown
}
