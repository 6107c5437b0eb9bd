/** Timeout of a worker's first message, in milliseconds. */
const START_MAX_MS = 10_000

/**
 * Starts a worker and waits for its first message. Resolves to null if workers are unavailable, forbidden by policy or
 * fail to load: the caller then does the work on the page's thread.
 * @param url address of the worker's script
 */
export async function startWorker(url: () => string): Promise<Worker | null> {
  if (typeof Worker === 'undefined') return null
  let worker: Worker
  try {
    worker = new Worker(url())
  } catch {
    return null
  }
  const ready = await new Promise<boolean>(resolve => {
    worker.addEventListener('message', () => resolve(true), { once: true })
    worker.addEventListener('error', () => resolve(false), { once: true })
    setTimeout(() => resolve(false), START_MAX_MS)
  })
  if (ready) return worker
  worker.terminate()
  return null
}
