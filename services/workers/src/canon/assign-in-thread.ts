import type { CanonOptions, Triplet } from '@iodine/canon'
import type { BodyFor, canonInternal } from '@iodine/contracts'
import { createThreads } from '@iodine/service-kit'

export interface Comparison {
  triplets: readonly Triplet[]
  options: CanonOptions
}

/** Clusters of two or more labels, as the narratives service stores them. */
export type StoredClusters = Pick<BodyFor<typeof canonInternal.applyCanon>, 'entities' | 'verbs'>

/** Timeout: exceeds the duration of the largest comparison on a busy machine. */
const TIMEOUT_MS = 120_000

/**
 * Clusters labels in a separate thread: clustering would block the event loop for seconds. Rejects with the error of
 * `assign`, and after two minutes.
 */
export const assignInThread = createThreads<Comparison, StoredClusters>(
  import.meta.url,
  './canon-thread.js',
  { name: 'the comparison of labels', ms: TIMEOUT_MS },
)
