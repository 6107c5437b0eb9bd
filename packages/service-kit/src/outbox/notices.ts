import type { Migration } from '../stores/migrations.js'
import { dropIndex } from '../stores/mongo.js'

/**
 * Migration of the version that marked documents of which the community service had not heard: each of them gets an
 * entry of the outbox, and the marks go.
 * @param kind of the entries; their payload is the document's id
 */
export const noticesToOutbox = (name: string, collection: string, kind: string): Migration => ({
  name,
  async up(mongo) {
    const docs = mongo.collection(collection)
    const now = new Date()
    for await (const { _id } of docs.find({ announced: false }).project({ _id: 1 })) {
      const entry = { kind, payload: { id: String(_id) }, attempts: 0, due_at: now, created_at: now }
      await mongo.collection('outbox').updateOne({ _id }, { $setOnInsert: entry }, { upsert: true })
    }
    await dropIndex(mongo, collection, 'announced_1')
    await docs.updateMany({ announced: { $exists: true } }, { $unset: { announced: 1, check_at: 1 } })
  },
})
