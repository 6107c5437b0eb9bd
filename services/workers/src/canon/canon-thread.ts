import { parentPort } from 'node:worker_threads'
import { assign, type Cluster } from '@iodine/canon'
import type { Comparison, StoredClusters } from './assign-in-thread.js'

/** Returns clusters without single labels, which are not stored: their transfer would block the process. */
const stored = (clusters: readonly Cluster[]): StoredClusters['entities'] =>
  clusters
    .filter(({ members }) => members.length > 1)
    .map(({ members }) => members.map(({ key, why, turned }) => ({ key, why, turned })))

parentPort?.on('message', ({ triplets, options }: Comparison) => {
  const { entities, verbs } = assign(triplets, options)
  const result: StoredClusters = { entities: stored(entities), verbs: stored(verbs) }
  parentPort?.postMessage(result)
})
