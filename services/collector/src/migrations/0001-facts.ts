import type { Migration } from '@iodine/service-kit'
import type { RecordDoc } from '../records/models/record.js'
import { factsOf } from '../records/presenters/facts.js'

/** A record may have 15 MiB. */
const BATCH = 50

/** Stores the counted values of records of earlier versions. */
export const facts: Migration = {
  name: '0001-facts',
  async up(mongo) {
    const records = mongo.collection<RecordDoc>('records')
    const projection = { source: 1, key: 1, fetched_at: 1, created_at: 1, data: 1, revision: 1 }
    for await (const doc of records.find({ facts: { $exists: false } }, { projection, batchSize: BATCH })) {
      // A replica of the previous version may change the record meanwhile, without its values.
      const { _id, fetched_at, revision } = doc
      const unchanged = { _id, fetched_at, revision: revision ?? { $exists: false } }
      await records.updateOne(unchanged as never, {
        $set: { facts: factsOf(doc as RecordDoc), changed_at: new Date() },
      })
    }
  },
}
