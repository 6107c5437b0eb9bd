import type { Migration } from '@iodine/service-kit'
import { graphKeysOf, type NarrativeDoc } from '../models/narrative.js'

const BATCH = 1_000

/** Lets a node's narratives be found among those from before they were indexed by node. */
export const nodeKeys: Migration = {
  name: '0001-node-keys',
  async up(mongo) {
    const narratives = mongo.collection<NarrativeDoc>('narratives')
    const unkeyed = narratives
      .find({ state: 'done', node_keys: { $exists: false } })
      .project<NarrativeDoc>({ triplets: 1 })
      .batchSize(BATCH)
    let updates: Parameters<typeof narratives.bulkWrite>[0][number][] = []
    const flush = async () => {
      if (updates.length > 0) await narratives.bulkWrite(updates, { ordered: false })
      updates = []
    }
    for await (const { _id, triplets } of unkeyed) {
      const update = { $set: graphKeysOf(triplets) }
      if (updates.push({ updateOne: { filter: { _id, state: 'done' }, update } }) >= BATCH) await flush()
    }
    await flush()
  },
}
