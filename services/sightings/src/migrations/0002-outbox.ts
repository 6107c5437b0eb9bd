import { dropIndex, type Migration, storeEntries } from '@iodine/service-kit'

/** Gives the outbox the runs that are not finished, in their order. */
export const outbox: Migration = {
  name: '0002-outbox',
  async up(mongo) {
    const runs = mongo.collection('runs')
    const unfinished = runs.find({ place: { $exists: true } }).project({ created_at: 1 })
    await storeEntries(
      mongo,
      unfinished.map(({ _id, created_at }) => {
        const id = String(_id)
        return { kind: 'run', key: id, payload: { id }, due_at: created_at }
      }),
    )
    await dropIndex(mongo, 'runs', 'place_1_check_at_1')
    await runs.updateMany(
      { check_at: { $exists: true } },
      { $unset: { check_at: 1, leased_until: 1, lease: 1 } },
    )
  },
}
