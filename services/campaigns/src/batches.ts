/**
 * Yields consecutive items in batches.
 * @param items maximum number of items in a batch
 * @param size maximum total size of a batch; a larger item is a batch by itself
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
