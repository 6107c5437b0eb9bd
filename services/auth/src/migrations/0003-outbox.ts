import { dropCollection, dropIndex, type GivenEntry, type Migration, storeEntries } from '@iodine/service-kit'

/** Gives the outbox what users, deletions, files of personal data and mails had marks for. */
export const outbox: Migration = {
  name: '0003-outbox',
  async up(mongo) {
    const users = mongo.collection('users')
    const of = (kind: string, id: unknown, due_at?: Date): GivenEntry => ({
      kind,
      key: String(id),
      payload: { id: String(id) },
      due_at,
    })
    const unheard = users.find({ announced: false }).map(({ _id }) => of('user.changed', _id))
    const marked = users.find({ deleted_at: { $exists: true } }).map(({ _id }) => of('user.deleted', _id))
    const deletions = mongo.collection('deletions')
    const begun = deletions.find().map(({ _id, check_at }) => of('user.deleted', _id, check_at))
    const exports = mongo.collection('data_exports')
    const owed = exports
      .find({ check_at: { $exists: true } })
      .map(({ export_id }) => of('data-export', export_id))
    const mails = mongo
      .collection<{ _id: string; sealed: string; created_at: Date; expires_at: Date }>('mails')
      .find()
      .map(({ _id, sealed, created_at, expires_at }) => ({
        kind: 'mail',
        key: _id,
        payload: { id: _id, sealed, created_at: created_at.getTime(), expires_at: expires_at.getTime() },
      }))
    for (const entries of [unheard, marked, begun, owed, mails]) await storeEntries(mongo, entries)
    await dropCollection(mongo, 'mails')
    for (const name of ['announced_1', 'owes_deletion_mail_1']) await dropIndex(mongo, 'users', name)
    for (const name of ['deletions', 'data_exports']) await dropIndex(mongo, name, 'check_at_1')
    await users.updateMany(
      { announced: { $exists: true } },
      { $unset: { announced: 1, check_at: 1, owes_deletion_mail: 1 } },
    )
    for (const each of [deletions, exports])
      await each.updateMany({ check_at: { $exists: true } }, { $unset: { check_at: 1 } })
  },
}
