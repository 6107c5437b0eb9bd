import type { Migration } from '@iodine/service-kit'
import { termsOf } from '../iods/policies/terms.js'

const BATCH = 1_000

/** Stores the domains, hashtags and accounts of IODs of earlier versions. */
export const terms: Migration = {
  name: '0001-terms',
  async up(mongo) {
    const iods = mongo.collection<{ value: string; category: string; description: string; terms?: string[] }>(
      'iods',
    )
    let batch: { updateOne: object }[] = []
    const store = async () => {
      if (batch.length > 0) await iods.bulkWrite(batch as never, { ordered: false })
      batch = []
    }
    const projection = { value: 1, category: 1, description: 1 }
    for await (const { _id, ...iod } of iods.find(
      { terms: { $exists: false } },
      { projection, batchSize: BATCH },
    )) {
      batch.push({ updateOne: { filter: { _id }, update: { $set: { terms: termsOf(iod) } } } })
      if (batch.length >= BATCH) await store()
    }
    await store()
  },
}
