/** Creates lists of values by key. */
export const listsOf = <K, V>() => {
  const lists = new Map<K, V[]>()
  return {
    get: (key: K): readonly V[] => lists.get(key) ?? [],
    has: (key: K): boolean => lists.has(key),
    all: (): Iterable<readonly V[]> => lists.values(),
    /** Adds a value, unless it is the last one of the key: callers add a value's duplicates in succession. */
    add: (key: K, value: V): void => {
      const list = lists.get(key)
      if (!list) lists.set(key, [value])
      else if (list.at(-1) !== value) list.push(value)
    },
  }
}
