/** Runs work once at a time for each key: whoever asks meanwhile gets the same result, or the same failure. */
export const createSingleFlight = <K, T>(): ((key: K, work: () => Promise<T>) => Promise<T>) => {
  const running = new Map<K, Promise<T>>()
  return (key, work) => {
    const found = running.get(key) ?? work().finally(() => running.delete(key))
    running.set(key, found)
    return found
  }
}
