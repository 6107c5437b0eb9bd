import { dropIndex, type GivenEntry, type Migration, storeEntries } from '@iodine/service-kit'

/** Gives the outbox what imports and publications had times for at which a repair looked at them. */
export const outbox: Migration = {
  name: '0004-outbox',
  async up(mongo) {
    const [imports, publications] = [mongo.collection('imports'), mongo.collection('publications')]
    const of = (kind: string, _id: unknown): GivenEntry => ({
      kind,
      key: String(_id),
      payload: { id: String(_id) },
    })
    const atWork = { state: { $in: ['receiving', 'planning', 'planned', 'applying', 'removing'] } }
    const expiring = { expires_at: { $type: 'date' } }
    const undone = imports.find({ $or: [atWork, expiring] }).map(({ _id }) => of('import', _id))
    const due = publications.find({ state: 'due' }).map(({ _id }) => of('publication', _id))
    for (const entries of [undone, due]) await storeEntries(mongo, entries)
    for (const each of [imports, publications]) {
      await dropIndex(mongo, each.collectionName, 'state_1_check_at_1')
      await each.updateMany({ check_at: { $exists: true } }, { $unset: { check_at: 1 } })
    }
  },
}
