/**
 * Runs `work` for each item, `most` at once, and resolves to the results in order. The first error aborts the signal of
 * the others.
 * @param signal aborts all of them
 */
export const mapAtOnce = async <T, R>(
  items: readonly T[],
  most: number,
  signal: AbortSignal,
  work: (item: T, signal: AbortSignal) => Promise<R>,
): Promise<R[]> => {
  const stop = new AbortController()
  const either = AbortSignal.any([signal, stop.signal])
  const results: R[] = []
  let next = 0
  const takeItems = async () => {
    for (let n = next++; n < items.length; n = next++) results[n] = await work(items[n] as T, either)
  }
  try {
    await Promise.all(Array.from({ length: most }, takeItems))
    return results
  } finally {
    stop.abort()
  }
}
