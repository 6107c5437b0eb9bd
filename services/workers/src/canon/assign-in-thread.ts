import { existsSync } from 'node:fs'
import { fileURLToPath } from 'node:url'
import { Worker } from 'node:worker_threads'
import type { CanonOptions, Triplet } from '@iodine/canon'
import type { BodyFor, canonInternal } from '@iodine/contracts'

export interface Comparison {
  triplets: readonly Triplet[]
  options: CanonOptions
}

/** Clusters of two labels or more, as the narratives service stores them. */
export type StoredClusters = Pick<BodyFor<typeof canonInternal.applyCanon>, 'entities' | 'verbs'>

/** More time than the largest comparison takes on a busy machine. */
const TIMEOUT_MS = 120_000
const HEAP_MB = 2_048

/** The compiled entry file: threads cannot run TypeScript. */
const entry = (): string => {
  const isSource = import.meta.url.endsWith('.ts')
  const path = fileURLToPath(
    new URL(isSource ? '../../dist/canon/canon-thread.js' : './canon-thread.js', import.meta.url),
  )
  if (!existsSync(path)) throw new Error('Build services/workers first: the thread runs its compiled code.')
  return path
}

/**
 * Clusters labels in a thread of its own: it takes seconds, in which this process would answer nothing. Rejects
 * with what `assign` throws, and after two minutes.
 */
export const assignInThread = (comparison: Comparison): Promise<StoredClusters> =>
  new Promise((resolve, reject) => {
    const thread = new Worker(entry(), {
      workerData: comparison,
      execArgv: [],
      resourceLimits: { maxOldGenerationSizeMb: HEAP_MB },
    })
    const timer = setTimeout(
      () => end(() => reject(new Error('labels were not compared in time'))),
      TIMEOUT_MS,
    )
    const end = (settle: () => void) => {
      clearTimeout(timer)
      settle()
      void thread.terminate()
    }
    thread.once('message', (clusters: StoredClusters) => end(() => resolve(clusters)))
    thread.once('error', error => end(() => reject(error)))
    thread.once('exit', code => end(() => reject(new Error(`the comparison of labels ended with ${code}`))))
  })
