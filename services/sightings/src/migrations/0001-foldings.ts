import type { Migration } from '@iodine/service-kit'
import type { IndexDoc } from '../models/sighting.js'

/**
 * Has the collector tell of all its records again: texts are signed, hashtags folded and addresses made canonical by
 * other rules. Until the repair is through, a search finds some of the records by the former rules alone.
 */
export const foldings: Migration = {
  name: '0001-foldings',
  up: mongo =>
    mongo
      .collection<IndexDoc>('index')
      .updateOne({ _id: 'index' }, { $set: { complete: false }, $unset: { asked: 1 } }),
}
