import { existsSync } from 'node:fs'
import { fileURLToPath } from 'node:url'
import { Worker } from 'node:worker_threads'
import type { Answer, Ask } from './coordination-thread.js'
import type { Findings, FindOptions, Post } from './find.js'

/** A run that needs more fails alone. */
const MEMORY_MB = 2_048

/** The compiled file of the thread: threads cannot run TypeScript. */
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

/** Looks for accounts that share the same in a thread of its own, so that requests are answered meanwhile. */
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
    thread.on('message', (answer: Answer) => {
      if ('progress' in answer) onProgress(answer.progress)
      else resolve(answer.findings)
    })
    thread.once('error', reject)
    thread.once('exit', () => reject(new Error('The thread ended early')))
  })
  const stop = () => void thread.terminate()
  signal.addEventListener('abort', stop)
  // Rejected while posts are still read.
  findings.catch(() => {})
  const ask = (some: Ask) => thread.postMessage(some)
  try {
    for await (const posts of batches) {
      signal.throwIfAborted()
      ask({ posts })
    }
    ask({ find: options })
    return await findings
  } finally {
    signal.removeEventListener('abort', stop)
    await thread.terminate()
  }
}
