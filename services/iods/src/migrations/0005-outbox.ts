import { dropIndex, type Migration, storeEntries } from '@iodine/service-kit'

/** Gives the outbox the IODs of which the community has not heard, which were marked. */
export const outbox: Migration = {
  name: '0005-outbox',
  async up(mongo) {
    const iods = mongo.collection('iods')
    const unheard = iods.find({ announced: false }).project({ _id: 1 })
    await storeEntries(
      mongo,
      unheard.map(({ _id }) => ({ kind: 'iod.created', payload: { id: String(_id) } })),
    )
    await dropIndex(mongo, 'iods', 'announced_1')
    await iods.updateMany({ announced: { $exists: true } }, { $unset: { announced: 1, check_at: 1 } })
  },
}
