/** Timeout of a worker's first message, in milliseconds. */
const START_MAX_MS = 10_000

/** The workers of the build. Each has a source file in this folder. */
export type WorkerName = 'layout' | 'draw' | 'co-shares'

const create = (name: WorkerName) =>
  new Worker(`${__webpack_public_path__}static/worker/${name}.${WORKER_VERSION}.js`)

/**
 * Starts a worker and waits for its first message. Resolves to null if workers are unavailable, forbidden by policy or
 * fail to load: the caller then does the work on the page's thread.
 */
export async function startWorker(name: WorkerName): Promise<Worker | null> {
  if (typeof Worker === 'undefined') return null
  let worker: Worker
  try {
    worker = create(name)
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
