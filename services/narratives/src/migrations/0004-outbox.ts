import { dropIndex, type Migration, storeEntries } from '@iodine/service-kit'
import type { NarrativeDoc } from '../models/narrative.js'

/** Gives the outbox the narratives, and the users' clusters, that were to be looked at again. */
export const outbox: Migration = {
  name: '0004-outbox',
  async up(mongo) {
    const marked = { check_at: { $exists: true } }
    const narratives = mongo.collection<NarrativeDoc & { check_at: Date }>('narratives')
    for await (const { _id, state, check_at } of narratives.find(marked)) {
      const payload = { id: _id.toHexString() }
      const opened = { kind: 'extraction', payload }
      const expired = { kind: 'narrative.expired', payload, due_at: check_at }
      const changed = { kind: 'narrative.changed', payload, key: payload.id }
      const ended = state === 'failed' ? [expired] : [changed, expired]
      await storeEntries(mongo, state === 'open' ? [opened] : ended)
    }
    const canon = mongo.collection('canon')
    const owed = canon.find(marked).map(({ _id }) => {
      const id = String(_id)
      return { kind: 'canon', payload: { id }, key: id }
    })
    await storeEntries(mongo, owed)
    for (const name of ['narratives', 'canon']) {
      await dropIndex(mongo, name, 'check_at_1')
      await mongo.collection(name).updateMany(marked, { $unset: { check_at: 1 } })
    }
  },
}
