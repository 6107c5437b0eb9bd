import { type Migration, storeEntries } from '@iodine/service-kit'

/** Enqueues the comparison of earlier versions' records with IODs. */
export const novelty: Migration = {
  name: '0002-novelty',
  async up(mongo) {
    const records = mongo.collection('records')
    await records.updateMany({ novelty: { $exists: false } }, { $set: { novelty: 'pending' } })
    const users = (await records.distinct('user_id', { novelty: 'pending' })).map(id => id.toHexString())
    await storeEntries(
      mongo,
      users.map(id => ({ kind: 'records.compared', payload: { id }, key: id })),
    )
  },
}
