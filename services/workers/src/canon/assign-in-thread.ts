import { existsSync } from 'node:fs'
import { fileURLToPath } from 'node:url'
import { Worker } from 'node:worker_threads'
import type { CanonOptions, Triplet } from '@iodine/canon'
import type { BodyFor, canonInternal } from '@iodine/contracts'

export interface Comparison {
  triplets: readonly Triplet[]
  options: CanonOptions
}

/** Clusters of two or more labels, as the narratives service stores them. */
export type StoredClusters = Pick<BodyFor<typeof canonInternal.applyCanon>, 'entities' | 'verbs'>

/** Timeout: exceeds the duration of the largest comparison on a busy machine. */
const TIMEOUT_MS = 120_000
const HEAP_MB = 2_048

/** Returns the path of the compiled entry file: threads cannot run TypeScript. */
const entry = (): string => {
  const isSource = import.meta.url.endsWith('.ts')
  const path = fileURLToPath(
    new URL(isSource ? '../../dist/canon/canon-thread.js' : './canon-thread.js', import.meta.url),
  )
  if (!existsSync(path)) throw new Error('Build services/workers first: the thread runs its compiled code.')
  return path
}

/**
 * Clusters labels in a separate thread: clustering would block the event loop for seconds. Rejects with the error of
 * `assign`, and after two minutes.
 */
export const assignInThread = (comparison: Comparison): Promise<StoredClusters> =>
  new Promise((resolve, reject) => {
    const thread = new Worker(entry(), {
      workerData: comparison,
      execArgv: [],
      resourceLimits: { maxOldGenerationSizeMb: HEAP_MB },
    })
    const timer = setTimeout(
      () => end(() => reject(new Error('the comparison of labels timed out'))),
      TIMEOUT_MS,
    )
    const end = (settle: () => void) => {
      clearTimeout(timer)
      settle()
      void thread.terminate()
    }
    thread.once('message', (clusters: StoredClusters) => end(() => resolve(clusters)))
    thread.once('error', error => end(() => reject(error)))
    thread.once('exit', code =>
      end(() => reject(new Error(`the comparison of labels exited with code ${code}`))),
    )
  })
