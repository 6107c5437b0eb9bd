import { randomInt } from 'node:crypto'
import type { Redis } from './redis.js'

/** A value in Redis that changes with each change of something: a copy made under it is good while it stands still. */
export interface Version {
  /** The present value, a new one where there is none; undefined while Redis is down. */
  read(): Promise<string | undefined>
  /** Sets a new value; `before` is what stood there. Rejects while Redis is down. */
  raise(): Promise<{ before: string | null; now: string }>
}

/** Values are random, not counted: a Redis that lost its data never comes to a value again that somebody has seen. */
const newValue = (): string => String(randomInt(2 ** 48 - 1))

export const createVersion = (redis: Redis, key: string): Version => ({
  async read() {
    try {
      const found = await redis.get(key)
      if (found !== null) return found
      await redis.set(key, newValue(), 'NX')
      return (await redis.get(key)) ?? undefined
    } catch {
      return undefined
    }
  },
  async raise() {
    const now = newValue()
    return { before: await redis.set(key, now, 'GET'), now }
  },
})
