/** Calls `work` as a promise: a query of mongoose, which runs again for each `then`, runs once. */
const begun = async <T>(work: () => PromiseLike<T>): Promise<T> => work()

/** Runs one call at a time per key: concurrent callers share its result or failure. */
export const createSingleFlight = <K, T>(): ((key: K, work: () => Promise<T>) => Promise<T>) => {
  const running = new Map<K, Promise<T>>()
  return (key, work) => {
    const found = running.get(key) ?? begun(work).finally(() => running.delete(key))
    running.set(key, found)
    return found
  }
}

/** Creates a function that runs the work of each key sequentially, in call order. */
export const createKeyedQueue = <K>(): (<T>(key: K, work: () => Promise<T>) => Promise<T>) => {
  const last = new Map<K, Promise<unknown>>()
  return (key, work) => {
    const result = (last.get(key) ?? Promise.resolve()).then(work, work)
    const end = () => {
      if (last.get(key) === result) last.delete(key)
    }
    last.set(key, result)
    result.then(end, end)
    return result
  }
}

/** Timeout after which callers stop waiting for the running read: a later one may be faster. */
const TIMEOUT_MS = 250

/**
 * Shares reads per key between concurrent callers. A caller never receives the result of a read that began before its
 * call, so that it sees every write acknowledged before. While a read runs, callers wait for its end and share the next
 * one.
 * @param timeoutMs the next read begins after this time even if the running one has not ended
 */
export const createSharedReads = <K, T>(
  timeoutMs = TIMEOUT_MS,
): ((key: K, read: () => Promise<T>) => Promise<T>) => {
  const lanes = new Map<K, { ended: Promise<void>; next?: Promise<T> }>()
  const begin = (key: K, read: () => Promise<T>): Promise<T> => {
    const result = begun(read)
    const lane: { ended: Promise<void>; next?: Promise<T> } = {
      ended: new Promise<void>(end => {
        const timer = setTimeout(end, timeoutMs)
        const complete = () => {
          clearTimeout(timer)
          end()
        }
        result.then(complete, complete)
      }),
    }
    lanes.set(key, lane)
    lane.ended.then(() => {
      if (!lane.next) lanes.delete(key)
    })
    return result
  }
  return (key, read) => {
    const lane = lanes.get(key)
    if (!lane) return begin(key, read)
    lane.next ??= lane.ended.then(() => begin(key, read))
    return lane.next
  }
}
