/** Runs one call at a time per key: concurrent callers share its result or failure. */
export const createSingleFlight = <K, T>(): ((key: K, work: () => Promise<T>) => Promise<T>) => {
  const running = new Map<K, Promise<T>>()
  return (key, work) => {
    const found = running.get(key) ?? work().finally(() => running.delete(key))
    running.set(key, found)
    return found
  }
}

/**
 * Like `createSingleFlight`, for reads that must show what was written before them: a caller shares work that
 * is yet to start, never work under way. Per key, one call runs and one waits for it.
 */
export const createNextFlight = <K, T>(): ((key: K, work: () => Promise<T>) => Promise<T>) => {
  const running = new Map<K, Promise<unknown>>()
  const waiting = createSingleFlight<K, { done: Promise<T> }>()
  return async (key, work) => {
    const { done } = await waiting(key, async () => {
      await running.get(key)
      const done = work()
      const ended = done.catch(() => {}).then(() => void (running.get(key) === ended && running.delete(key)))
      running.set(key, ended)
      return { done }
    })
    return done
  }
}
