import { startThread } from '@iodine/service-kit'
import type { ThreadInput, ThreadOutput } from './coordination-thread.js'
import type { Findings, FindOptions, Post } from './find.js'

/** Runs `findCoordination` in a separate thread, which does not block the event loop. */
export const findInThread = async (
  batches: AsyncIterable<Post[]>,
  options: FindOptions,
  onProgress: (progress: number) => void,
  signal: AbortSignal,
): Promise<Findings> => {
  const thread = startThread(import.meta.url, './coordination-thread.js')
  const findings = new Promise<Findings>((resolve, reject) => {
    thread.on('message', (output: ThreadOutput) => {
      if ('progress' in output) onProgress(output.progress)
      else resolve(output.findings)
    })
    thread.once('error', reject)
    thread.once('exit', () => reject(new Error('The thread ended early')))
  })
  const stop = () => void thread.terminate()
  signal.addEventListener('abort', stop)
  // It may reject while posts are still read.
  findings.catch(() => {})
  const send = (input: ThreadInput) => thread.postMessage(input)
  try {
    for await (const posts of batches) {
      signal.throwIfAborted()
      send({ posts })
    }
    send({ find: options })
    return await findings
  } finally {
    signal.removeEventListener('abort', stop)
    await thread.terminate()
  }
}
