import type { Migration } from '@iodine/service-kit'
import type { NarrativeDoc } from '../models/narrative.js'

/** Gives the outbox entries for the narratives that were to be looked at again, but for open ones. */
export const outbox: Migration = {
  name: '0004-outbox',
  async up(mongo) {
    const narratives = mongo.collection<NarrativeDoc>('narratives')
    const ended = { state: { $ne: 'open' as const }, check_at: { $exists: true } }
    const due_at = new Date()
    for await (const { _id, state, check_at } of narratives.find(ended)) {
      const entry = { payload: { id: _id.toHexString() }, attempts: 0, created_at: due_at }
      const kinds = state === 'failed' ? ['narrative.expired'] : ['narrative.changed', 'narrative.expired']
      for (const kind of kinds)
        await mongo
          .collection('outbox')
          .updateOne(
            { kind, payload: entry.payload },
            { $setOnInsert: { ...entry, due_at: kind === 'narrative.changed' ? due_at : check_at } },
            { upsert: true },
          )
    }
    await narratives.updateMany(ended, { $unset: { check_at: 1 } })
  },
}
