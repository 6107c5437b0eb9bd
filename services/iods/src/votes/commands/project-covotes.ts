import { type Connection, ignoreDuplicateKey, isDuplicateKey } from '@iodine/service-kit'
import { type QueryFilter, Types } from 'mongoose'
import { databaseTime } from '../../database-time.js'
import type { IodDoc } from '../../iods/models/iod.js'
import type { IodModels } from '../../models.js'
import type { CovoteBuildDoc, CovoteDoc } from '../models/covote.js'
import { type Period, pairsIn } from '../policies/vote-pairs.js'

type Models = Pick<IodModels, 'mongo' | 'iods' | 'covotes' | 'covoteBuilds'>

/** Bounds of a batch: IODs and votes; one millisecond is always one batch. */
const BATCH_IODS = 200
const BATCH_VOTES = 200
/** Maximum duration of a run. The next run continues, so that a rebuild does not starve requests. */
const BUDGET_MS = 2_500
/** Age at which the projection is rebuilt: this corrects manual changes, such as a deleted IOD. */
const REBUILD_MS = 7 * 24 * 3_600_000
/** Maximum documents of a replaced build that a run deletes. */
const DELETED_MAX = 5_000

/** Age from which all votes are stored: more than a write takes, and clocks of database servers differ. */
const WATERMARK_LAG_MS = 10_000

/** Returns the watermark of votes: all votes up to it are stored. By the database's clock, in milliseconds. */
const voteWatermark = async (mongo: Connection): Promise<number> =>
  (await databaseTime(mongo)) - WATERMARK_LAG_MS

const votedIn = ({ from, to }: Period): QueryFilter<IodDoc> => ({
  votes: { $elemMatch: { created_at: { $gt: new Date(from), $lte: new Date(to) } } },
})

/**
 * Counts the votes since the previous run in the projection. Each batch of votes is recorded before it is counted, and
 * every document contains the last batch that it has counted. So a batch may be repeated after a crash, and by two
 * processes at once, without a transaction.
 * @param until end of the counted votes, in milliseconds: all votes up to this time must be stored
 * @param budgetMs time after which no further batch begins
 */
export const projectCovotes = async (
  models: Models,
  until?: number,
  budgetMs: number = BUDGET_MS,
): Promise<void> => {
  const deadline = Date.now() + budgetMs
  const watermark = Math.floor(until ?? (await voteWatermark(models.mongo)))
  let builds = await readBuilds(models)
  if (await beginBuild(models, builds.at(-1))) builds = await readBuilds(models)
  const live = builds.findLast(build => build.live)
  for (const build of builds.filter(({ _id }) => !live || _id >= live._id)) {
    const { _id } = build
    let span = Number.POSITIVE_INFINITY
    for (let next: CovoteBuildDoc | null = build; next && span > 0 && Date.now() < deadline; ) {
      // Votes are about as dense as in the last batch: the search for the end of the next one begins there.
      span = 2 * (await countBatch(models, next, watermark, span))
      if (span > 0) next = await models.covoteBuilds.findById(_id).lean<CovoteBuildDoc>()
    }
    if (span === 0 && !build.live)
      await models.covoteBuilds.updateOne({ _id, live: false }, { $set: { live: true } })
  }
  if (builds.length > 1) await deleteReplaced(models)
}

/** Reads all builds, oldest first: one, or two while one replaces the other. */
const readBuilds = ({ covoteBuilds }: Pick<Models, 'covoteBuilds'>): Promise<CovoteBuildDoc[]> =>
  covoteBuilds.find().sort({ _id: 1 }).lean<CovoteBuildDoc[]>()

/** Begins a rebuild of the projection unless the newest build is recent or unfinished. Resolves to whether it began. */
const beginBuild = async (
  { iods, covoteBuilds }: Models,
  newest: CovoteBuildDoc | undefined,
): Promise<boolean> => {
  const now = new Date()
  if (newest && (!newest.live || newest.begun_at.getTime() > now.getTime() - REBUILD_MS)) return false
  const epoch = new Date(0)
  const first = await iods
    .findOne({ 'votes.created_at': { $gt: epoch } }, { votes: 1 })
    .sort({ 'votes.created_at': 1 })
    .lean<IodDoc>()
  const times = first?.votes.map(({ created_at }) => created_at.getTime()) ?? []
  const up_to = times.length > 0 ? new Date(Math.min(...times) - 1) : epoch
  await covoteBuilds
    .create({ _id: (newest?._id ?? 0) + 1, begun_at: now, up_to, batch: null, live: false })
    .catch(ignoreDuplicateKey)
  return true
}

/**
 * Counts the next batch of votes of a build.
 * @param span maximum span of the batch, in milliseconds
 * @returns the batch's span; 0 if there are no more votes
 */
const countBatch = async (
  models: Models,
  { _id, up_to, batch }: CovoteBuildDoc,
  watermark: number,
  span: number,
): Promise<number> => {
  const { iods, covotes, covoteBuilds } = models
  const from = up_to.getTime()
  if (!batch && watermark <= from) return 0
  const most = Math.min(watermark, from + span)
  const { to, isEmpty } = batch
    ? { to: batch.to.getTime(), isEmpty: false }
    : await endOfBatch(iods, { from, to: most })
  // Without votes, a run writes nothing.
  if (isEmpty && to === watermark) return 0
  const end = new Date(to)
  const counts = countPairs(await readVotes(iods, { from, to }), { from, to })
  const users = new Set([...counts.keys()].flatMap(pair => pair.split(':')))
  if (!batch) {
    const countsNothing = counts.size === 0
    const note = countsNothing
      ? { up_to: end }
      : { batch: { to: end, users: Array.from(users, user => new Types.ObjectId(user)) } }
    const { matchedCount } = await covoteBuilds.updateOne({ _id, up_to, batch: null }, { $set: note })
    // No match: another process has recorded a batch, which the next attempt counts.
    if (matchedCount === 0 || countsNothing) return to - from
  }
  await addCounts(covotes, _id, end, counts)
  // Accounts deleted meanwhile: `forgetCovotes` may have run before the counts were written.
  const voters = votersOf(await readVotes(iods, { from, to }))
  for (const user of new Set([...users, ...(batch?.users ?? []).map(String)]))
    if (!voters.has(user)) await forgetCovotes(models, new Types.ObjectId(user))
  await covoteBuilds.updateOne({ _id, up_to, 'batch.to': end }, { $set: { up_to: end, batch: null } })
  return to - from
}

/** Returns the end of the next batch, and whether it is empty. Halves the period until its votes fit into a batch. */
const endOfBatch = async (
  iods: Models['iods'],
  { from, to }: Period,
): Promise<{ to: number; isEmpty: boolean }> => {
  for (let end = to; ; end = from + Math.ceil((end - from) / 2)) {
    if (end - from <= 1) return { to: end, isEmpty: false }
    const isInPeriod = {
      $and: [{ $gt: ['$$this.created_at', new Date(from)] }, { $lte: ['$$this.created_at', new Date(end)] }],
    }
    const [found] = await iods.aggregate<{ iods: number; votes: number }>([
      { $match: votedIn({ from, to: end }) },
      { $limit: BATCH_IODS + 1 },
      { $project: { n: { $size: { $filter: { input: '$votes', cond: isInPeriod } } } } },
      { $group: { _id: null, iods: { $sum: 1 }, votes: { $sum: '$n' } } },
    ])
    if (!found) return { to: end, isEmpty: true }
    if (found.iods <= BATCH_IODS && found.votes <= BATCH_VOTES) return { to: end, isEmpty: false }
  }
}

type IodVotes = Pick<IodDoc, 'votes'>
const readVotes = (iods: Models['iods'], period: Period): Promise<IodVotes[]> =>
  iods.find(votedIn(period), { votes: 1 }).lean<IodVotes[]>()

const votersOf = (docs: IodVotes[]): Set<string> =>
  new Set(docs.flatMap(({ votes }) => votes.flatMap(({ user_id }) => user_id?.toHexString() ?? [])))

const countPairs = (docs: IodVotes[], period: Period): Map<string, number> => {
  const counts = new Map<string, number>()
  for (const { votes } of docs)
    for (const [a, b] of pairsIn(votes, period)) counts.set(`${a}:${b}`, (counts.get(`${a}:${b}`) ?? 0) + 1)
  return counts
}

/** Adds the counts of a batch to the documents that have not counted it yet. */
const addCounts = async (
  covotes: Models['covotes'],
  build: number,
  end: Date,
  counts: Map<string, number>,
): Promise<void> => {
  if (counts.size === 0) return
  const writes = Array.from(counts, ([pair, n]) => {
    const [a, b] = pair.split(':').map(user => new Types.ObjectId(user))
    return {
      updateOne: {
        filter: { _id: `${build}:${pair}`, up_to: { $lt: end } },
        update: { $inc: { n }, $set: { up_to: end }, $setOnInsert: { build, a, b } },
        upsert: true,
      },
    }
  })
  // A document that has counted the batch does not match, and the upsert fails with a duplicate key.
  await covotes.bulkWrite(writes as never, { ordered: false }).catch(error => {
    const errors: unknown[] = [error?.writeErrors ?? error].flat()
    if (!errors.every(isDuplicateKey)) throw error
  })
}

/** Removes the counts of a user from all builds. Idempotent. */
export const forgetCovotes = async (
  { covotes, covoteBuilds }: Pick<Models, 'covotes' | 'covoteBuilds'>,
  user: Types.ObjectId,
): Promise<void> => {
  const builds = await covoteBuilds.distinct('_id')
  await covotes.deleteMany({ build: { $in: builds }, a: user })
  await covotes.deleteMany({ b: user })
}

/** Deletes up to `DELETED_MAX` documents of the builds before the live one. */
const deleteReplaced = async ({ covotes, covoteBuilds }: Models): Promise<void> => {
  const live = (await readBuilds({ covoteBuilds })).findLast(build => build.live)
  if (!live || !(await covoteBuilds.exists({ _id: { $lt: live._id } }))) return
  const old = await covotes
    .find({ build: { $lt: live._id } }, { _id: 1 })
    .limit(DELETED_MAX)
    .lean<Pick<CovoteDoc, '_id'>[]>()
  await covotes.deleteMany({ _id: { $in: old.map(({ _id }) => _id) } })
  if (old.length < DELETED_MAX) await covoteBuilds.deleteMany({ _id: { $lt: live._id } })
}
