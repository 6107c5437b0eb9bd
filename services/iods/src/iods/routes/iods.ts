import { type Iod, iodsApi, LIMITS } from '@iodine/contracts'
import { createDownloads, createKeyedLimiter, notFound, type StoreService } from '@iodine/service-kit'
import { createOverlay } from '../../overlay/queries/overlay.js'
import type { IodStore } from '../../store.js'
import { voteIod } from '../../votes/commands/vote-iod.js'
import { findConsensus } from '../../votes/queries/find-consensus.js'
import { createIod } from '../commands/create-iod.js'
import { BY_DATE, type IodDoc } from '../models/iod.js'
import { presentIods } from '../presenters/iod.js'
import { createDayCounts } from '../queries/count-days.js'
import { findLevels } from '../queries/find-levels.js'
import { createIodQueries } from '../queries/list-iods.js'
import { withValues } from '../queries/lookup-iods.js'

/** Adds the routes for IODs and votes of users. */
export const addIodRoutes = (service: StoreService, models: IodStore): void => {
  const { iods, comments } = models
  const queries = createIodQueries(models, service.users, service.peers)
  const weighings = createKeyedLimiter()
  const countDays = createDayCounts(models)
  const present = async (docs: IodDoc[], options?: { latest: boolean }) =>
    presentIods(service.users, docs, await comments.ofSubjects(docs, options))
  const presentOne = async (doc: IodDoc) => (await present([doc]))[0] as Iod

  /** No index bounds a filter by votes: one read at a time for each user. */
  const scans = createKeyedLimiter()
  const bounded = <T>(
    { agreement, third_vote }: { agreement?: unknown; third_vote?: unknown },
    userId: string,
    read: () => Promise<T>,
  ) => (agreement || third_vote ? scans(userId, read) : read())

  service.route(iodsApi.listIods, ({ query, user, reply }) =>
    bounded(query, user.id, async () => queries.list(reply, query)),
  )

  service.route(iodsApi.getIodFacets, ({ query, user, reply }) =>
    bounded(query, user.id, async () => queries.facets(reply, query)),
  )

  service.route(iodsApi.countDays, async ({ query, user }) => countDays(user.id, query.days))

  const overlay = createOverlay(models)
  const download = createDownloads()
  service.route(iodsApi.getOverlay, async ({ query, ...call }) => download(call, await overlay(query.since)))

  service.route(iodsApi.getIod, async ({ params }) => {
    const doc = await iods.findById(params.id).lean<IodDoc>()
    if (!doc) throw notFound()
    return presentOne(doc)
  })

  service.route(iodsApi.createIod, async ({ body, user }) =>
    presentOne(await createIod(models, user.id, body)),
  )

  service.route(iodsApi.lookupIods, async ({ body }) => {
    const docs = await iods.find(withValues(body.values)).sort(BY_DATE).lean<IodDoc[]>()
    return present(docs, { latest: true })
  })

  service.route(iodsApi.weighVotes, async ({ body: { ids }, user }) =>
    ids.length <= LIMITS.consensusPage
      ? findConsensus(models, ids)
      : weighings(user.id, () => findConsensus(models, ids)),
  )

  service.route(iodsApi.getLevels, async ({ body }) => findLevels(models, body.ids))

  service.route(iodsApi.voteIod, async ({ params, body, user }) =>
    presentOne(await voteIod(iods, user.id, params.id, body.vote_type)),
  )
}
