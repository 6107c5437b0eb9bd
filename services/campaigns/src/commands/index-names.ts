import type { Connection } from '@iodine/service-kit'
import { type CampaignDoc, searchFields } from '../models/campaign.js'

const BATCH = 500

const NOT_INDEXED = { ngrams: null as never }

/**
 * Stores what a search by name reads with the campaigns that an earlier version has written. Idempotent.
 * @returns their number
 */
export const indexNames = async (mongo: Connection): Promise<number> => {
  const campaigns = mongo.collection<CampaignDoc>('campaigns')
  let indexed = 0
  let updates: Parameters<typeof campaigns.bulkWrite>[0][number][] = []
  const flush = async () => {
    if (updates.length > 0) indexed += (await campaigns.bulkWrite(updates, { ordered: false })).modifiedCount
    updates = []
  }
  const missing = campaigns.find(NOT_INDEXED).project<CampaignDoc>({ name: 1 }).batchSize(BATCH)
  for await (const { _id, name } of missing) {
    // One that is renamed meanwhile follows by the next repair.
    const filter = { _id, name, ...NOT_INDEXED }
    const update = { $set: searchFields({ name }) }
    if (updates.push({ updateOne: { filter, update } }) >= BATCH) await flush()
  }
  await flush()
  return indexed
}
