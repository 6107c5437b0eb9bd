/** The placeholder of an item removed from a list. */
export interface Place {
  id: string
  /** Index among the shown items. */
  index: number
}

/** An item of a list, or the placeholder of a removed one. */
export type Placed<T, P extends Place = Place> = { item: T; place?: never } | { item?: never; place: P }

/** Returns the items with the placeholders of removed ones. `items` may still contain the removed ones. */
export function withPlaces<T extends { id: string }, P extends Place>(
  items: readonly T[],
  places: readonly P[],
): Placed<T, P>[] {
  const gone = new Set(places.map(({ id }) => id))
  const shown: Placed<T, P>[] = items.filter(({ id }) => !gone.has(id)).map(item => ({ item }))
  for (const place of places.toSorted((a, b) => a.index - b.index)) shown.splice(place.index, 0, { place })
  return shown
}
