import { LRUCache } from 'lru-cache'

/**
 * Creates an LRU cache of values with a stamp, the version of their inputs. It evicts by total weight, but keeps at
 * least the newest value.
 * @param maxWeight of all values together
 */
export const createStampedCache = <T>(maxWeight: number, weigh: (value: T) => number) => {
  const cache = new LRUCache<string, { stamp: string; value: T }>({
    maxSize: maxWeight,
    sizeCalculation: ({ value }) => Math.min(maxWeight, weigh(value) + 1),
  })
  return {
    get(name: string, stamp: string): T | undefined {
      const found = cache.get(name)
      return found?.stamp === stamp ? found.value : undefined
    },
    /** Stores a value, replaces the name's previous one, and returns it. */
    put(name: string, stamp: string, value: T): T {
      cache.set(name, { stamp, value })
      return value
    },
  }
}
