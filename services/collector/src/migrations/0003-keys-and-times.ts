import { naturalKey } from '@iodine/contracts'
import { hashOf, type Migration, storeEntries } from '@iodine/service-kit'
import type { RecordDoc } from '../records/models/record.js'
import { moveRecord } from './move-record.js'

/** Tolerated clock skew of collectors. */
const AHEAD_MS = 5 * 60_000

/**
 * Recomputes the keys of articles, whose URLs are compared without fragments and tracking parameters, and merges
 * records with equal keys. Sets fetch times in the future to the time of storing, since no later version could follow
 * them. Enqueues the users of the changed records for delivery to the sightings service.
 */
export const keysAndTimes: Migration = {
  name: '0003-keys-and-times',
  async up(mongo) {
    const records = mongo.collection<RecordDoc>('records')
    const ahead = { fetched_at: { $gt: new Date(Date.now() + AHEAD_MS) } }
    for await (const { _id, created_at } of records.find(ahead, { projection: { created_at: 1 } }))
      await records.updateOne(
        { _id, ...ahead },
        {
          $set: {
            fetched_at: created_at,
            'data.collector_metadata.fetch_timestamp': created_at.toISOString(),
            sighted: false,
          },
        },
      )
    const articles = records.find(
      { source: 'blog' },
      { projection: { key: 1, 'data.metadata.canonical': 1, 'data.metadata.og_url': 1 } },
    )
    for await (const { _id, key, data } of articles) {
      const now = hashOf(naturalKey.blog(data as never))
      if (now !== key) await moveRecord(mongo, _id, now)
      // The sightings service indexes routes of single-page sites by their fragments.
      else if (/#[!/]/.test(naturalKey.blog(data as never)))
        await records.updateOne({ _id }, { $set: { sighted: false } })
    }
    const users = await Promise.all([
      records.distinct('user_id', { sighted: false }),
      mongo.collection('removals').distinct('user_id'),
    ])
    await storeEntries(
      mongo,
      [...new Set(users.flat().map(String))].map(id => ({
        kind: 'records.changed',
        key: id,
        payload: { id },
      })),
    )
  },
}
