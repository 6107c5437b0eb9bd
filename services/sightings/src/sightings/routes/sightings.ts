import { LIMITS, sightingsApi, sightingsInternal } from '@iodine/contracts'
import {
  createKeyedLimiter,
  createRateLimit,
  done,
  personalSource,
  type StoreService,
  servePersonalData,
  watchStorage,
} from '@iodine/service-kit'
import { Types } from 'mongoose'
import type { SightingsConfig } from '../../config.js'
import type { SightingStore } from '../../store.js'
import { eraseUser } from '../commands/forget-user.js'
import { putSightings } from '../commands/put-sightings.js'
import { countOthers } from '../queries/count-others.js'
import { postedTimes } from '../queries/posted-times.js'
import { search } from '../queries/search.js'
import { storageUsage } from '../queries/storage-usage.js'

export const addSightingRoutes = (
  service: StoreService,
  store: SightingStore,
  { REDIS_PREFIX: prefix, RATE_LIMITS, STORAGE_ALARM_BYTES }: SightingsConfig,
): void => {
  const { models, secrets } = store
  const { sightings, counting, runs, edges } = models

  // A search compares up to some thousand sightings: one at a time for each user.
  const searches = createKeyedLimiter()
  service.route(sightingsApi.searchSightings, async ({ body, user }) =>
    searches(user.id, () => search(store, user.id, body)),
  )

  const ownId = (user: { id: string }) => new Types.ObjectId(user.id)
  service.route(sightingsApi.getCounting, async ({ user }) => ({
    counted: (await counting.exists({ _id: ownId(user) })) !== null,
  }))
  service.route(sightingsApi.setCounting, async call => {
    const { body, user } = call
    const _id = ownId(user)
    const action = body.counted ? 'sightings.counted' : 'sightings.not-counted'
    await service.audit.during(call, { action, subject: { kind: 'account', id: user.id } }, async note => {
      if (!body.counted) return note({ isNothing: (await counting.deleteOne({ _id })).deletedCount === 0 })
      const begun = { $setOnInsert: { since: new Date() } }
      note({ isNothing: (await counting.updateOne({ _id }, begun, { upsert: true })).upsertedCount === 0 })
    })
    return body
  })
  const questions = createRateLimit(service.redis, {
    name: 'count-sightings',
    points: LIMITS.countQuestions,
    seconds: 3_600,
    prefix,
    enabled: RATE_LIMITS === 'on',
  })
  service.route(sightingsApi.countSightings, async ({ body, user }) => {
    await questions.use(user.id)
    return countOthers(store, user.id, body)
  })

  service.internal(sightingsInternal.postedTimes, ({ body }) => postedTimes(models, body))
  service.internal(sightingsInternal.putSightings, async ({ body }) =>
    done(putSightings(models, (await secrets()).sign, body)),
  )

  servePersonalData(service, {
    sources: [
      personalSource(
        'sighting',
        sightings,
        owner => ({ owner }),
        ({ exact: _e, bands: _b, keys: _k, sketch: _s, media: _m, versions, ...sighting }) => ({
          ...sighting,
          seen_versions: versions.map(({ seen_at }) => seen_at),
        }),
      ),
      personalSource('counted_for_others', counting, _id => ({ _id })),
      personalSource(
        'coordination_run',
        runs,
        owner => ({ owner }),
        ({ place: _p, ...run }) => run,
      ),
      personalSource(
        'coordination_edge',
        edges,
        owner => ({ owner }),
        ({ pairs: _p, owners: _o, foreign: _f, ...edge }) => edge,
      ),
    ],
    forget: owner => eraseUser(models, owner),
  })

  watchStorage(service, async () => {
    const { documents, bytes } = await storageUsage(models)
    return { documents, bytes, share: bytes / STORAGE_ALARM_BYTES }
  })
}
