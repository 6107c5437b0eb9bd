import type { Migration } from '@iodine/service-kit'
import type { Types } from 'mongoose'
import type { CanonDoc } from '../models/canon.js'
import type { NarrativeDoc } from '../models/narrative.js'

const BATCH = 1_000

/** Has the labels clustered of all users with texts from before there were canonical narratives. */
export const canonicalNarratives: Migration = {
  name: '0002-canonical-narratives',
  async up(mongo) {
    const canon = mongo.collection<CanonDoc>('canon')
    const users = mongo
      .collection<NarrativeDoc>('narratives')
      .aggregate<{ _id: Types.ObjectId }>([{ $match: { state: 'done' } }, { $group: { _id: '$user_id' } }])
    const check_at = new Date()
    let updates: Parameters<typeof canon.bulkWrite>[0][number][] = []
    const flush = async () => {
      if (updates.length > 0) await canon.bulkWrite(updates, { ordered: false })
      updates = []
    }
    for await (const { _id } of users) {
      const $setOnInsert = { revision: 0, texts: 1, version: 0, method: 'offline' as const, check_at }
      if (updates.push({ updateOne: { filter: { _id }, update: { $setOnInsert }, upsert: true } }) >= BATCH)
        await flush()
    }
    await flush()
  },
}
