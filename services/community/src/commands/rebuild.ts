import { type ContributionType, historyInternal } from '@iodine/contracts'
import { inTransaction, invalid, type Peers } from '@iodine/service-kit'
import { Types } from 'mongoose'
import type { ContributionDoc } from '../models/contribution.js'
import type { CommunityModels } from '../models/index.js'
import { applyEvents, dropForgotten } from './apply-event.js'

const BATCH = 200
const PEER_MS = 10_000

interface Context {
  peers: Peers
  models: CommunityModels
}
type Owner = 'auth' | 'iods' | 'narratives'
/** Processes a batch of a phase that starts after an id. Returns the id to continue after; null at the end. */
type Phase = (context: Context, after: string | null) => Promise<string | null>

/** Applies all events of the owner service, which adds missing documents. */
const replay =
  (owner: Owner): Phase =>
  async ({ peers, models }, after) => {
    const { events, next } = await peers.call(owner, historyInternal.listHistory, {
      body: { after },
      ms: PEER_MS,
    })
    await applyEvents(models, events)
    return next
  }

/** Returns the ids that the owner service does not have, for example after a lost deletion event. */
const unknownTo = async ({ peers }: Context, owner: Owner, ids: string[]): Promise<string[]> => {
  if (ids.length === 0) return []
  const known = new Set(
    (await peers.call(owner, historyInternal.filterKnown, { body: { ids }, ms: PEER_MS })).ids,
  )
  return ids.filter(id => !known.has(id))
}

const from = (after: string | null) => (after === null ? {} : { _id: { $gt: new Types.ObjectId(after) } })
const hexIds = (docs: { _id: Types.ObjectId }[]) => docs.map(({ _id }) => _id.toHexString())
/** Returns the cursor of the next batch; null after an incomplete batch. */
const lastOf = (ids: string[]): string | null => (ids.length < BATCH ? null : (ids.at(-1) ?? null))

/** Deletes users that auth does not have. Reading the projection first spares users created meanwhile. */
const sweepUsers: Phase = async (context, after) => {
  const { models } = context
  const ids = hexIds(
    await models.users
      .find({ ...from(after), deleted: false }, { _id: 1 })
      .sort({ _id: 1 })
      .limit(BATCH)
      .lean(),
  )
  const gone = await unknownTo(context, 'auth', ids)
  await applyEvents(
    models,
    gone.map(id => ({ type: 'user.deleted', data: { id } })),
  )
  return lastOf(ids)
}

const sweepContributions =
  (owner: Owner, type: ContributionType): Phase =>
  async (context, after) => {
    const { models } = context
    const docs = await models.contributions
      .find({ ...from(after), type, deleted: false }, { user_id: 1, type: 1, restored: 1 })
      .sort({ _id: 1 })
      .limit(BATCH)
      .lean<ContributionDoc[]>()
    const ids = hexIds(docs)
    const gone = new Set(await unknownTo(context, owner, ids))
    for (const doc of docs) if (gone.has(doc._id.toHexString())) await dropForgotten(models, doc)
    return lastOf(ids)
  }

const countTotals: Phase = async ({ models: { mongo, users, contributions } }, after) => {
  const ids = hexIds(await users.find(from(after), { _id: 1 }).sort({ _id: 1 }).limit(BATCH).lean())
  for (const _id of ids)
    await inTransaction(mongo, async session => {
      const count = (type: ContributionType) =>
        contributions.countDocuments({ user_id: _id, deleted: false, type }).session(session)
      const [total_iods, total_narratives] = [await count('IOD'), await count('NARRATIVE')]
      await users.updateOne({ _id }, { $set: { total_iods, total_narratives } }, { session })
    })
  return lastOf(ids)
}

/** Recounts the public users. Counts of common terms are dropped and recomputed by the next search. */
const countNames: Phase = async ({ models: { mongo, users, counters, terms } }) => {
  await inTransaction(mongo, async session => {
    const n = await users.countDocuments({ public: true }).session(session)
    await counters.updateOne(
      { _id: 'public_users' },
      { $set: { n }, $inc: { changes: 1 } },
      { session, upsert: true },
    )
    await terms.deleteMany({}, { session })
  })
  return null
}

const PHASES: Phase[] = [
  replay('auth'),
  replay('iods'),
  replay('narratives'),
  sweepUsers,
  sweepContributions('iods', 'IOD'),
  sweepContributions('narratives', 'NARRATIVE'),
  countTotals,
  countNames,
]

/**
 * Performs one bounded step of a rebuild of the projection from the services that own the data, while all are in use:
 * adds missing documents, deletes stale ones, recounts. An interrupted rebuild can restart from the beginning.
 * @param cursor returned by the previous step; null starts a rebuild
 */
export const rebuildStep = async (
  context: Context,
  cursor: string | null,
): Promise<{ cursor: string | null }> => {
  const [, at, after] = /^(\d+)\.([0-9a-f]{24})?$/.exec(cursor ?? '0.') ?? []
  const phase = PHASES[Number(at)]
  if (!phase) throw invalid(['cursor: is malformed'])
  const next = await phase(context, after ?? null)
  if (next !== null) return { cursor: `${at}.${next}` }
  return { cursor: Number(at) + 1 < PHASES.length ? `${Number(at) + 1}.` : null }
}
