import { LRUCache } from 'lru-cache'

/**
 * Keeps values with the stamp of what they were made from, until they weigh too much together: the least recently used
 * goes first. The last one stays, whatever it weighs.
 */
export const createStampedCache = <T>(most: number, weigh: (value: T) => number) => {
  const kept = new LRUCache<string, { stamp: string; value: T }>({
    maxSize: most,
    sizeCalculation: ({ value }) => Math.min(most, weigh(value) + 1),
  })
  return {
    get(name: string, stamp: string): T | undefined {
      const found = kept.get(name)
      return found?.stamp === stamp ? found.value : undefined
    },
    /** Keeps a value, in place of the name's earlier one, and returns it. */
    put(name: string, stamp: string, value: T): T {
      kept.set(name, { stamp, value })
      return value
    },
  }
}
