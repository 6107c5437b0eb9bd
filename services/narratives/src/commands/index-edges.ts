import { gramsOfEdge } from '../models/edge.js'
import type { NarrativeModels } from '../models/index.js'

const BATCH = 1_000

/**
 * Gives a batch of edges that an earlier version of the service has written their grams. Idempotent: the
 * labels of an edge never change.
 * @returns whether there were any
 */
export const indexEdges = async ({ edges }: Pick<NarrativeModels, 'edges'>): Promise<boolean> => {
  const batch = await edges
    .find({ grams: null }, { subject_key: 1, verb_key: 1, object_key: 1 })
    .limit(BATCH)
    .lean()
  if (batch.length === 0) return false
  const updates = batch.map(({ _id, ...keys }) => ({
    updateOne: { filter: { _id }, update: { $set: { grams: gramsOfEdge(keys) } } },
  }))
  await edges.bulkWrite(updates, { ordered: false })
  return true
}
