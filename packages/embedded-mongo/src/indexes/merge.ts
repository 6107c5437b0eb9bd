/** Merges ordered sources. Reads no further ahead than one item of each. */
export function* merge<T>(sources: readonly Iterable<T>[], compare: (a: T, b: T) => number): Generator<T> {
  /** A heap: the item at `i` comes before those at `2i + 1` and `2i + 2`. */
  const heads: { item: T; rest: Iterator<T> }[] = []
  const sink = (from: number) => {
    const head = heads[from]!
    for (let i = from; ; ) {
      let next = 2 * i + 1
      if (next + 1 < heads.length && compare(heads[next + 1]!.item, heads[next]!.item) < 0) next++
      if (next >= heads.length || compare(heads[next]!.item, head.item) >= 0) {
        heads[i] = head
        return
      }
      heads[i] = heads[next]!
      i = next
    }
  }
  for (const source of sources) {
    const rest = source[Symbol.iterator]()
    const { done, value } = rest.next()
    if (!done) heads.push({ item: value, rest })
  }
  for (let i = (heads.length >> 1) - 1; i >= 0; i--) sink(i)
  while (heads.length > 0) {
    const head = heads[0]!
    yield head.item
    const { done, value } = head.rest.next()
    if (!done) head.item = value
    else {
      const last = heads.pop()!
      if (heads.length === 0) return
      if (last !== head) heads[0] = last
    }
    sink(0)
  }
}
