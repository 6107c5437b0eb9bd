export interface WeightedCache<T> {
  get(name: string, stamp: string): T | undefined
  /** Keeps a value, in place of the name's earlier one, and returns it. */
  put(name: string, stamp: string, value: T): T
  forget(name: string): void
}

/** Keeps values with the stamp that they are of, until they weigh too much: the least recently used goes first. */
export const createWeightedCache = <T>(most: number, weigh: (value: T) => number): WeightedCache<T> => {
  const kept = new Map<string, { stamp: string; value: T; weight: number }>()
  let weight = 0
  const forget = (name: string) => {
    weight -= kept.get(name)?.weight ?? 0
    kept.delete(name)
  }
  return {
    forget,
    get(name, stamp) {
      const found = kept.get(name)
      if (found?.stamp !== stamp) return undefined
      kept.delete(name)
      kept.set(name, found)
      return found.value
    },
    put(name, stamp, value) {
      forget(name)
      const added = { stamp, value, weight: weigh(value) + 1 }
      kept.set(name, added)
      weight += added.weight
      for (const other of kept.keys()) {
        if (weight <= most || other === name) break
        forget(other)
      }
      return value
    },
  }
}
