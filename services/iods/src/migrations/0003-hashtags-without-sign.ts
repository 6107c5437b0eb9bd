import { ignoreDuplicateKey, type Migration } from '@iodine/service-kit'
import { foldKey } from '../commands/create-iod.js'
import type { IodDoc } from '../models/iod.js'

const BATCH = 1_000

/**
 * Gives hashtags that are stored with their sign the key of those without. Where a category has both, the one
 * with the sign keeps its old key: look-ups still find it, and creating either is refused.
 */
export const hashtagsWithoutSign: Migration = {
  name: '0003-hashtags-without-sign',
  async up(mongo) {
    const iods = mongo.collection<IodDoc>('iods')
    // Restored copies may lack the index, which refuses a key that the category has.
    await iods.createIndex({ fold_key: 1, category: 1 }, { unique: true })
    const signed = iods
      .find({ category: 'HASHTAGS', value: /^\s*#/ })
      .project<IodDoc>({ value: 1, category: 1 })
      .batchSize(BATCH)
    let updates: Parameters<typeof iods.bulkWrite>[0][number][] = []
    const flush = async () => {
      if (updates.length > 0) await iods.bulkWrite(updates, { ordered: false }).catch(ignoreDuplicateKey)
      updates = []
    }
    for await (const doc of signed) {
      const update = { $set: { fold_key: foldKey(doc) } }
      if (updates.push({ updateOne: { filter: { _id: doc._id }, update } }) >= BATCH) await flush()
    }
    await flush()
  },
}
