/**
 * Neighbouring items in batches.
 * @param items of a batch, at most
 * @param size of a batch in all, at most, but for a larger single item
 */
export function* batchesOf<T>(
  all: Iterable<T>,
  { items, size }: { items: number; size: number },
  sizeOf: (item: T) => number,
): Generator<T[]> {
  let batch: T[] = []
  let taken = 0
  for (const each of all) {
    const more = sizeOf(each)
    if (batch.length === items || (batch.length > 0 && taken + more > size)) {
      yield batch
      batch = []
      taken = 0
    }
    batch.push(each)
    taken += more
  }
  if (batch.length > 0) yield batch
}
