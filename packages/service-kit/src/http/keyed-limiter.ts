import { busy } from './errors.js'
import { Streamed } from './streamed.js'

/** After this time the next one begins even if the running one has not ended. */
const PATIENCE_MS = 20_000

/** Runs work when it is its turn. */
export type KeyedLimiter = <T>(key: string, work: () => Promise<T>) => Promise<T>

/**
 * Runs one piece of work at a time per key, so that one person cannot have much costly work done at once. One
 * caller waits meanwhile: a newer one takes its place, and it is refused by 429. A streamed answer runs until
 * it is sent.
 */
export const createKeyedLimiter = (patienceMs = PATIENCE_MS): KeyedLimiter => {
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
    const timer = setTimeout(end, patienceMs)
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
