import { type ContributionType, historyInternal } from '@iodine/contracts'
import { inTransaction, invalid, type Peers } from '@iodine/service-kit'
import { Types } from 'mongoose'
import type { ContributionDoc } from '../models/contribution.js'
import type { CommunityModels } from '../models/index.js'
import { applyEvent, dropForgotten } from './apply-event.js'

const BATCH = 200
const PEER_MS = 10_000

interface Context {
  peers: Peers
  models: CommunityModels
}
type Owner = 'auth' | 'iods' | 'narratives'
/** Does a part of a phase from an id on; where the phase goes on, null at its end. */
type Phase = (context: Context, after: string | null) => Promise<string | null>

/** What the owner has, and the projection perhaps not. */
const replay =
  (owner: Owner): Phase =>
  async ({ peers, models }, after) => {
    const { events, next } = await peers.call(owner, historyInternal.listHistory, {
      body: { after },
      ms: PEER_MS,
    })
    for (const event of events) await applyEvent(models, event)
    return next
  }

/** Those of the ids that their owner does not know: what a lost event should have removed. */
const unknownTo = async ({ peers }: Context, owner: Owner, ids: string[]): Promise<string[]> => {
  if (ids.length === 0) return []
  const known = new Set(
    (await peers.call(owner, historyInternal.filterKnown, { body: { ids }, ms: PEER_MS })).ids,
  )
  return ids.filter(id => !known.has(id))
}

const from = (after: string | null) => (after === null ? {} : { _id: { $gt: new Types.ObjectId(after) } })
const hexIds = (docs: { _id: Types.ObjectId }[]) => docs.map(({ _id }) => _id.toHexString())
/** Where the next batch goes on; null after one that was not full. */
const lastOf = (ids: string[]): string | null => (ids.length < BATCH ? null : (ids.at(-1) ?? null))

/** What the projection has, and its owner not any more. Read here first, so that nothing newer is taken for gone. */
const sweepUsers: Phase = async (context, after) => {
  const { models } = context
  const ids = hexIds(
    await models.users
      .find({ ...from(after), deleted: false }, { _id: 1 })
      .sort({ _id: 1 })
      .limit(BATCH)
      .lean(),
  )
  for (const id of await unknownTo(context, 'auth', ids))
    await applyEvent(models, { type: 'user.deleted', data: { id } })
  return lastOf(ids)
}

const sweepContributions =
  (owner: Owner, type: ContributionType): Phase =>
  async (context, after) => {
    const { models } = context
    const docs = await models.contributions
      .find({ ...from(after), type, deleted: false }, { user_id: 1, type: 1 })
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

/** The number of public users anew; what is kept for common terms is counted again when they are searched. */
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
 * One bounded step of bringing the projection in line with the services that own the truth, while both are in use:
 * adds what is missing, removes what is gone, counts anew. Stopped anywhere, it can begin again from the start.
 * @param cursor what the step before returned; null begins
 */
export const rebuildStep = async (
  context: Context,
  cursor: string | null,
): Promise<{ cursor: string | null }> => {
  const [, at, after] = /^(\d+)\.([0-9a-f]{24})?$/.exec(cursor ?? '0.') ?? []
  const phase = PHASES[Number(at)]
  if (!phase) throw invalid(['cursor: is not one of ours'])
  const next = await phase(context, after ?? null)
  if (next !== null) return { cursor: `${at}.${next}` }
  return { cursor: Number(at) + 1 < PHASES.length ? `${Number(at) + 1}.` : null }
}
