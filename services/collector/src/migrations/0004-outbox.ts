import { type Migration, storeEntries } from '@iodine/service-kit'

/** Gives the outbox the users of whose records the sightings service does not know. */
export const outbox: Migration = {
  name: '0004-outbox',
  async up(mongo) {
    const users = await Promise.all([
      mongo.collection('records').distinct('user_id', { sighted: false }),
      mongo.collection('removals').distinct('user_id'),
    ])
    const ids = new Set(users.flat().map(String))
    await storeEntries(
      mongo,
      [...ids].map(id => ({ kind: 'records.changed', key: id, payload: { id } })),
    )
  },
}
