import { setImmediate } from 'node:timers/promises'
import type { QueryFilter } from 'mongoose'
import type { NarrativeModels } from '../models/index.js'
import { type NarrativeDoc, unchanged } from '../models/narrative.js'
import { citedTriplets } from '../queries/citations.js'

const UNCITED = { $elemMatch: { cite: { $exists: false } } }

/**
 * Stores the citations of narratives that a version before has stored without. Resolves to whether all have them.
 * @param until when to stop, in milliseconds since the epoch
 */
export const citeNarratives = async (
  { narratives }: Pick<NarrativeModels, 'narratives'>,
  selected: QueryFilter<NarrativeDoc>,
  until = Number.POSITIVE_INFINITY,
): Promise<boolean> => {
  const uncited = narratives
    .find({ ...selected, state: 'done', triplets: UNCITED }, { text: 1, triplets: 1, state: 1, restored: 1 })
    .lean<NarrativeDoc[]>()
    .cursor({ batchSize: 100 })
  for await (const narrative of uncited) {
    if (Date.now() > until) return false
    await narratives.updateOne(unchanged(narrative), { $set: { triplets: citedTriplets(narrative) } })
    // A long text takes a while: other requests run in between.
    await setImmediate()
  }
  return true
}
