import { randomInt } from 'node:crypto'
import { createSharedReads } from '../single-flight.js'
import type { Redis } from './redis.js'

/**
 * A value in Redis that changes with each change of some data: a cached copy is valid while it is unchanged.
 */
export interface Version {
  /** Returns the present value, a new one if there is none; undefined while Redis is down. */
  read(): Promise<string | undefined>
  /** Sets a new value; `before` is the previous one. Rejects while Redis is down. */
  raise(): Promise<{ before: string | null; now: string }>
}

/** Random, not a counter: after a data loss Redis cannot return to a value that a process has cached. */
const newValue = (): string => String(randomInt(2 ** 48 - 1))

export const createVersion = (redis: Redis, key: string): Version => {
  const shared = createSharedReads<'read', string | undefined>()
  const read = async () => {
    try {
      const found = await redis.get(key)
      if (found !== null) return found
      await redis.set(key, newValue(), 'NX')
      return (await redis.get(key)) ?? undefined
    } catch {
      return undefined
    }
  }
  return {
    read: () => shared('read', read),
    async raise() {
      const now = newValue()
      return { before: await redis.set(key, now, 'GET'), now }
    },
  }
}
