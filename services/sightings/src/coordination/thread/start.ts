import { existsSync } from 'node:fs'
import { fileURLToPath } from 'node:url'
import { Worker } from 'node:worker_threads'
import type { ThreadInput, ThreadOutput } from './coordination-thread.js'
import type { Findings, FindOptions, Post } from './find.js'

/** Heap limit of a thread, so that a large run fails without the process. */
const MEMORY_MB = 2_048

/** Returns the path of the thread's compiled file: threads cannot run TypeScript. */
const entry = (): string => {
  const path = fileURLToPath(
    new URL(
      import.meta.url.endsWith('.ts')
        ? '../../../dist/coordination/thread/coordination-thread.js'
        : './coordination-thread.js',
      import.meta.url,
    ),
  )
  if (!existsSync(path)) throw new Error('Build services/sightings first: a thread runs its compiled code.')
  return path
}

/** Runs `findCoordination` in a separate thread, which does not block the event loop. */
export const findInThread = async (
  batches: AsyncIterable<Post[]>,
  options: FindOptions,
  onProgress: (progress: number) => void,
  signal: AbortSignal,
): Promise<Findings> => {
  const thread = new Worker(entry(), {
    execArgv: [],
    resourceLimits: { maxOldGenerationSizeMb: MEMORY_MB },
  })
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
