import { LIMITS } from '@iodine/contracts'
import {
  byId,
  HttpError,
  isPermanentError,
  type Kind,
  PEER_BACKOFF_MAX_MS,
  type Peers,
  type StoreService,
} from '@iodine/service-kit'
import { Types } from 'mongoose'
import type { Context } from '../../context.js'
import type { SightingModels } from '../../models.js'
import { openRecords } from '../../sightings/queries/open-records.js'
import type { EdgeDoc, RunDoc } from '../models/run.js'
import { createSlots } from '../policies/slots.js'
import { type CollectionStats, collectPosts } from '../queries/collect-posts.js'
import { recordsAbout } from '../queries/records-about.js'
import type { Findings, FoundEdge, Post } from '../thread/find.js'
import { findInThread } from '../thread/start.js'

/** Concurrent runs of a process, apart from those that take longer than `SLOT_MS`. */
const SLOTS = 2
const SLOT_MS = 100_000
/** Runs of a process that are running or queued for a slot. */
const CONCURRENCY = 8
const PROGRESS_MS = 5_000
/** Other users' records that the edges of a run refer to. Further edges are dropped. */
const FOREIGN_MAX = 200_000
/** Records per query. */
const OPEN_MAX = 2_000
const BATCH = 200

/** Drops other users' posts that are not shared now: the index may lag behind the collector. */
async function* stillShared(
  peers: Peers,
  userId: string,
  batches: AsyncIterable<Post[]>,
): AsyncGenerator<Post[]> {
  for await (const posts of batches) {
    const foreign = posts.filter(({ owner }) => owner !== userId)
    if (foreign.length === 0) {
      yield posts
      continue
    }
    const open = await openRecords(
      peers,
      userId,
      foreign.map(({ id }) => id),
    )
    const seen = new Set(open.map(({ id }) => id))
    yield posts.filter(({ id, owner }) => owner === userId || seen.has(id))
  }
}

const edgeOf = (
  run: RunDoc,
  { records, owners, pairs, ...edge }: FoundEdge,
  rank: number,
  foreign: string[],
): EdgeDoc => ({
  _id: new Types.ObjectId(),
  run: run._id,
  owner: run.owner,
  rank,
  ...edge,
  pairs: pairs.map(({ older, newer, ...pair }) => ({
    ...pair,
    older: new Types.ObjectId(older),
    newer: new Types.ObjectId(newer),
  })),
  owners: owners.map(id => new Types.ObjectId(id)).filter(id => !id.equals(run.owner)),
  foreign: foreign.map(id => new Types.ObjectId(id)),
  expires_at: run.expires_at,
})

/** Removes edges that refer to records that were deleted or unshared during the run. */
const removeGone = async ({ edges, sightings }: SightingModels, run: RunDoc, foreign: Types.ObjectId[]) => {
  for (let at = 0; at < foreign.length; at += OPEN_MAX) {
    const some = foreign.slice(at, at + OPEN_MAX)
    const left = await sightings.find({ _id: { $in: some }, shared: { $exists: true } }, { _id: 1 }).lean()
    const isLeft = new Set(left.map(({ _id }) => _id.toHexString()))
    const gone = some.filter(id => !isLeft.has(id.toHexString()))
    if (gone.length > 0) await edges.deleteMany({ run: run._id, foreign: { $in: gone } })
  }
}

/** Stores the findings. Resolves to whether all edges are stored. */
const store = async (
  models: SightingModels,
  run: RunDoc,
  { found, edges: all }: Findings,
  own: Set<string>,
) => {
  const { edges } = models
  await edges.deleteMany({ run: run._id })
  let foreignLeft = FOREIGN_MAX
  const docs: EdgeDoc[] = []
  for (const edge of found) {
    const foreign = edge.records.filter(id => !own.has(id))
    foreignLeft -= foreign.length
    if (foreignLeft < 0) break
    docs.push(edgeOf(run, edge, docs.length, foreign))
  }
  for (let at = 0; at < docs.length; at += BATCH)
    await edges.insertMany(docs.slice(at, at + BATCH), { lean: true })
  const foreign = new Map(docs.flatMap(doc => doc.foreign.map(id => [id.toHexString(), id])))
  await removeGone(models, run, [...foreign.values()])
  return docs.length === all
}

const work = async (context: Context, run: RunDoc, stop: AbortSignal): Promise<void> => {
  const { models, peers } = context
  const { runs } = models
  const unfinished = { _id: run._id, place: { $exists: true } }
  const removed = new AbortController()
  const signal = AbortSignal.any([stop, removed.signal])
  let progress = 0.05
  const report = setInterval(() => {
    runs
      .updateOne(unfinished, { $set: { state: 'running', progress } })
      .then(({ matchedCount }) => matchedCount === 0 && removed.abort())
      .catch(() => {})
  }, PROGRESS_MS)
  try {
    const owner = run.owner.toHexString()
    const collected: CollectionStats = {
      posts: 0,
      without_time: 0,
      without_account: 0,
      left_out: [],
      truncated: false,
    }
    const only = await recordsAbout(context, run)
    const own = new Set<string>()
    async function* posts() {
      for await (const batch of stillShared(peers, owner, collectPosts(models, run, collected, only))) {
        for (const post of batch) if (post.owner === owner) own.add(post.id)
        yield batch
      }
    }
    const findings = await findInThread(
      posts(),
      {
        kinds: run.kinds,
        windowS: run.window_s,
        minParticipation: run.min_participation,
        maxEdges: LIMITS.coordinationEdges,
        maxEvidence: LIMITS.coordinationEvidence,
      },
      done => {
        progress = done
      },
      signal,
    )
    signal.throwIfAborted()
    const isWhole = await store(models, run, findings, own)
    const { posts: looked, without_time, without_account, left_out, truncated } = collected
    const { shares, pairs, accounts, edges, threshold, truncatedObjects } = findings
    const { matchedCount } = await runs.updateOne(unfinished, {
      $set: {
        state: 'done',
        progress: 1,
        left_out,
        totals: {
          posts: looked,
          without_time,
          without_account,
          shares,
          pairs,
          accounts,
          edges,
          threshold,
        },
        truncated: { shares: truncated, objects: truncatedObjects, edges: !isWhole },
      },
      $unset: { place: 1 },
    })
    // The run was removed meanwhile, possibly with its user.
    if (matchedCount === 0 && !(await runs.exists({ _id: run._id })))
      await models.edges.deleteMany({ run: run._id })
  } finally {
    clearInterval(report)
  }
}

/** Whether the collector or the database may be restarting. */
const isTransient = (error: unknown): boolean =>
  error instanceof HttpError
    ? !isPermanentError(error)
    : error instanceof Error && error.name.startsWith('Mongo')

const workOn = async (context: Context, id: string, signal: AbortSignal): Promise<void> => {
  signal.throwIfAborted()
  const { runs } = context.models
  const unfinished = { _id: id, place: { $exists: true } }
  const run = await runs.findOneAndUpdate(unfinished, { $set: { state: 'running' } }).lean()
  if (!run) return
  try {
    await work(context, run, signal)
  } catch (error) {
    if (signal.aborted || isTransient(error)) {
      await runs.updateOne(unfinished, { $set: { state: 'queued', progress: 0 } })
      throw error
    }
    context.log.warn({ err: error, run: id }, 'run failed')
    const problem = 'There were too many posts to compare, or the server failed'
    await runs.updateOne(unfinished, { $set: { state: 'failed', problem }, $unset: { place: 1 } })
  }
}

export type RunWork = Kind<{ id: string }>

/** Creates the outbox kind whose handler executes runs in order, each in a separate thread. */
export const createRunWork = (outbox: StoreService['outbox'], context: Context): RunWork => {
  const inSlot = createSlots(SLOTS, SLOT_MS)
  return outbox.kind('run', {
    ...byId,
    concurrency: CONCURRENCY,
    isHeavy: true,
    backoffMaxMs: PEER_BACKOFF_MAX_MS,
    async handle([run], { signal }) {
      if (run) await inSlot(() => workOn(context, run.id, signal))
    },
  })
}
