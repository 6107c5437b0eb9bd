import { commentsInternal, type Iod, iodsApi, iodsInternal, LIMITS } from '@iodine/contracts'
import {
  createDownloads,
  createKeyedLimiter,
  notFound,
  personalSource,
  type StoreService,
  serveHistory,
  servePersonalData,
  serveUsage,
  watchStorage,
} from '@iodine/service-kit'
import type { IodsConfig } from '../../config.js'
import { createOverlay } from '../../overlay/queries/overlay.js'
import type { IodStore } from '../../store.js'
import { eraseUser } from '../../votes/commands/forget-user.js'
import { stateIods } from '../../votes/commands/state-iods.js'
import { voteIod } from '../../votes/commands/vote-iod.js'
import { countMembers } from '../../votes/queries/count-members.js'
import { findConsensus } from '../../votes/queries/find-consensus.js'
import { createIod } from '../commands/create-iod.js'
import { eventsOfIod } from '../commands/publish-iod.js'
import { upsertIods } from '../commands/upsert-iods.js'
import { BY_DATE, type IodDoc } from '../models/iod.js'
import { presentIods } from '../presenters/iod.js'
import { containIods } from '../queries/contain-iods.js'
import { createDayCounts } from '../queries/count-days.js'
import { findIods } from '../queries/find-iods.js'
import { findLevels } from '../queries/find-levels.js'
import { createIodQueries } from '../queries/list-iods.js'
import { withValues } from '../queries/lookup-iods.js'

export const addIodRoutes = (
  service: StoreService,
  models: IodStore,
  config: Pick<IodsConfig, 'STORAGE_ALARM_BYTES'>,
): void => {
  const { iods, evidence, comments, quotas } = models
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

  service.internal(iodsInternal.getIods, async ({ body }) =>
    present(await iods.find({ _id: { $in: body.ids } }).lean<IodDoc[]>()),
  )

  service.internal(iodsInternal.knownIods, async ({ body }) => {
    const docs = await iods.find({ _id: { $in: body.ids } }, { _id: 1 }).lean<Pick<IodDoc, '_id'>[]>()
    return docs.map(({ _id }) => _id.toHexString())
  })

  service.internal(iodsInternal.findIods, async ({ body }) => findIods(iods, body.iods))

  service.internal(iodsInternal.containIods, ({ body }) => containIods(iods, body.entries))

  service.internal(iodsInternal.upsertIods, async ({ body }) => upsertIods(models, body))

  service.internal(iodsInternal.countIods, async ({ body }) => countMembers(iods, body.ids))

  service.internal(iodsInternal.getLevels, async ({ body }) => findLevels(models, body.ids))

  service.internal(commentsInternal.upsertComments, async ({ body }) => {
    const sums = { added: 0, known: 0, left_out: 0 }
    for (const { id, comments: given } of body.iods) {
      const counts = await comments.upsert(body.user_id, id, given)
      for (const name of ['added', 'known', 'left_out'] as const) sums[name] += counts[name]
    }
    return sums
  })

  service.internal(iodsInternal.stateIods, async ({ body }) => stateIods(models, body.ids))

  servePersonalData(service, {
    sources: [
      personalSource(
        'iod',
        iods,
        created_by => ({ created_by }),
        ({
          votes: _votes,
          votes_total: _total,
          votes_disputed: _disputed,
          comment_count: _comments,
          fold_key: _key,
          ...iod
        }) => iod,
      ),
      personalSource(
        'vote',
        iods,
        user_id => ({ 'votes.user_id': user_id }),
        ({ _id, value, category, votes }, userId) => ({
          iod: { _id, value, category },
          ...votes.find(vote => vote.user_id?.equals(userId)),
        }),
      ),
      personalSource(
        'evidence',
        evidence,
        created_by => ({ created_by }),
        ({ quote_key: _key, ...quote }) => quote,
      ),
      comments.personal,
    ],
    forget: (userId, wishes) => eraseUser(models, userId, wishes),
  })

  serveHistory(service, iods, { created_by: { $ne: null } }, eventsOfIod)

  serveUsage(service, quotas)
  watchStorage(service, async () => {
    const { iods: documents = 0, iod_bytes = 0, evidence_bytes = 0 } = await quotas.totals()
    const bytes = iod_bytes + evidence_bytes
    return { documents, bytes, share: bytes / config.STORAGE_ALARM_BYTES }
  })
}
