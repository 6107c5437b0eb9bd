import { type Migration, NOT_PLAIN, rewriteEach } from '@iodine/service-kit'
import { foldKey } from '../commands/create-iod.js'
import { type IodDoc, RAISED, searchFields } from '../models/iod.js'

/**
 * Gives IODs the keys and the searched texts of Unicode's case folding, without invisible characters. Of several that
 * have one key now, one gets it; the others keep theirs, and stay in lists and searches. A new revision has the
 * extension download what changed.
 */
export const caseFolding: Migration = {
  name: '0004-case-folding',
  async up(mongo) {
    // Restored copies may lack the index, which refuses a key that the category has.
    await mongo.collection('iods').createIndex({ fold_key: 1, category: 1 }, { unique: true })
    await rewriteEach<IodDoc>(
      mongo,
      'iods',
      { $or: [{ value: NOT_PLAIN }, { description: NOT_PLAIN }] },
      ['value', 'category', 'description', 'fold_key', 'search'],
      doc => {
        const fold_key = foldKey(doc)
        const fields = searchFields(doc)
        return [
          ...(fields.search === doc.search ? [] : [{ $set: fields }]),
          ...(fold_key === doc.fold_key
            ? []
            : [[{ $set: { fold_key: { $literal: fold_key }, revision: RAISED } }]]),
        ]
      },
    )
  },
}
