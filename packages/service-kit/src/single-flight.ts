/** Runs one call at a time per key: concurrent callers share its result or failure. */
export const createSingleFlight = <K, T>(): ((key: K, work: () => Promise<T>) => Promise<T>) => {
  const running = new Map<K, Promise<T>>()
  return (key, work) => {
    const found = running.get(key) ?? work().finally(() => running.delete(key))
    running.set(key, found)
    return found
  }
}
