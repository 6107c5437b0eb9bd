import { type Migration, storeEntries } from '@iodine/service-kit'
import type { NarrativeDoc } from '../models/narrative.js'

/** Gives the outbox the narratives that were to be looked at again, but for open ones. */
export const outbox: Migration = {
  name: '0004-outbox',
  async up(mongo) {
    const narratives = mongo.collection<NarrativeDoc>('narratives')
    const ended = { state: { $ne: 'open' as const }, check_at: { $exists: true } }
    for await (const { _id, state, check_at } of narratives.find(ended)) {
      const id = _id.toHexString()
      const expired = { kind: 'narrative.expired', payload: { id }, due_at: check_at }
      const changed = { kind: 'narrative.changed', payload: { id }, key: id }
      await storeEntries(mongo, state === 'failed' ? [expired] : [changed, expired])
    }
    await narratives.updateMany(ended, { $unset: { check_at: 1 } })
  },
}
