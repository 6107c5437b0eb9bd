import { busy } from './errors.js'
import { Streamed } from './streamed.js'

/** Timeout after which the next work begins even if the running work has not ended. */
const TIMEOUT_MS = 20_000

/** Queues work for its key's concurrency slot. */
export type KeyedLimiter = <T>(key: string, work: () => Promise<T>) => Promise<T>

/**
 * Creates a limiter with one concurrency slot per key, so that one user cannot start much costly work at once. One
 * caller queues for the slot: a newer one replaces it, and the replaced one is refused by 429. A streamed answer keeps
 * the slot until it is sent.
 */
export const createKeyedLimiter = (timeoutMs = TIMEOUT_MS): KeyedLimiter => {
  interface Lane {
    waiting?: { begin: () => void; refuse: (error: Error) => void } | undefined
  }
  const lanes = new Map<string, Lane>()

  const run = async <T>(key: string, lane: Lane, work: () => Promise<T>): Promise<T> => {
    let hasEnded = false
    const end = () => {
      if (hasEnded) return
      hasEnded = true
      clearTimeout(timer)
      const next = lane.waiting
      lane.waiting = undefined
      if (next) next.begin()
      else lanes.delete(key)
    }
    const timer = setTimeout(end, timeoutMs)
    try {
      const result = await work()
      if (result instanceof Streamed) result.sent.then(end)
      else end()
      return result
    } catch (error) {
      end()
      throw error
    }
  }

  return (key, work) => {
    const running = lanes.get(key)
    if (!running) {
      const lane: Lane = {}
      lanes.set(key, lane)
      return run(key, lane, work)
    }
    running.waiting?.refuse(busy())
    return new Promise((resolve, reject) => {
      running.waiting = { begin: () => resolve(run(key, running, work)), refuse: reject }
    })
  }
}
