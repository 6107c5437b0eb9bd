import { commentsInternal, iodsInternal } from '@iodine/contracts'
import {
  personalSource,
  type StoreService,
  serveHistory,
  servePersonalData,
  serveUsage,
  watchStorage,
} from '@iodine/service-kit'
import type { IodsConfig } from '../../config.js'
import type { IodStore } from '../../store.js'
import { eraseUser } from '../../votes/commands/forget-user.js'
import { stateIods } from '../../votes/commands/state-iods.js'
import { countMembers } from '../../votes/queries/count-members.js'
import { eventsOfIod } from '../commands/publish-iod.js'
import { upsertIods } from '../commands/upsert-iods.js'
import type { IodDoc } from '../models/iod.js'
import { presentIods } from '../presenters/iod.js'
import { findIods } from '../queries/find-iods.js'
import { findLevels } from '../queries/find-levels.js'

const personalSources = ({ iods, evidence, comments }: IodStore) => [
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
]

/** Adds the routes for other services. */
export const addInternalRoutes = (
  service: StoreService,
  models: IodStore,
  config: Pick<IodsConfig, 'STORAGE_ALARM_BYTES'>,
): void => {
  const { iods, comments, quotas } = models

  service.internal(iodsInternal.getIods, async ({ body }) => {
    const docs = await iods.find({ _id: { $in: body.ids } }).lean<IodDoc[]>()
    return presentIods(service.users, docs, await comments.ofSubjects(docs))
  })

  service.internal(iodsInternal.knownIods, async ({ body }) => {
    const docs = await iods.find({ _id: { $in: body.ids } }, { _id: 1 }).lean<Pick<IodDoc, '_id'>[]>()
    return docs.map(({ _id }) => _id.toHexString())
  })

  service.internal(iodsInternal.findIods, async ({ body }) => findIods(iods, body.iods))

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
    sources: personalSources(models),
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
