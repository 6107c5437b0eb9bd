import { startWorker } from '@iodine/mfe-kit'
import type { Draft } from '../model/import-draft'
import { deleteAbandoned } from './database'
import type { FromReader, OnProgress, Reading, Recognised, Recognising, ToReader } from './reader'

/** Has a worker answer a request. An abort terminates it. */
const ask = async (request: ToReader, signal: AbortSignal, onProgress?: OnProgress) => {
  const worker = await startWorker(() => `${__webpack_public_path__}static/worker/read.${WORKER_VERSION}.js`)
  if (!worker) throw new Error('The worker cannot be started')
  return new Promise<Recognised | Draft>((resolve, reject) => {
    if (signal.aborted) reject(signal.reason)
    signal.addEventListener('abort', () => reject(signal.reason))
    worker.onmessage = ({ data }: MessageEvent<FromReader>) => {
      if (data.type === 'progress') onProgress?.(data.fraction)
      else if (data.type === 'done') resolve(data.value)
      else if (data.type === 'failed') reject(Object.assign(new Error(data.message), { name: data.name }))
    }
    worker.onerror = () => reject(new Error('The worker failed'))
    worker.postMessage(request)
  }).finally(() => worker.terminate())
}

/** Recognises a file in a worker. @throws Error by the name of the reader's error */
export const recogniseFile = async (request: Recognising, signal: AbortSignal): Promise<Recognised> =>
  (await ask({ recognise: request }, signal)) as Recognised

/** Begins the name of the lock that a page holds while it reads the file of a draft. */
const LOCK = 'iodine:import:'

/**
 * Reads a file into a stored draft, in a worker. Resolves to a question if it has another encoding.
 * @throws Error by the name of the reader's error
 */
export async function readFile(
  request: Reading,
  onProgress: OnProgress,
  signal: AbortSignal,
): Promise<Draft | Recognised> {
  const read = () => ask({ read: request }, signal, onProgress)
  // Locks need a secure context.
  return navigator.locks ? navigator.locks.request(LOCK + request.id, read) : read()
}

const readingNow = async (): Promise<ReadonlySet<string>> => {
  const { held = [] } = (await navigator.locks?.query()) ?? {}
  return new Set(held.map(({ name = '' }) => name.replace(LOCK, '')))
}

/** Deletes the batches of files whose reading was interrupted, for example by closing the tab. */
export const forgetAbandoned = (): Promise<void> => deleteAbandoned(readingNow)
