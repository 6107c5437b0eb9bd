import { randomUUID } from 'node:crypto'
import { LIMITS, recordsInternal } from '@iodine/contracts'
import { HttpError, type Peers, type StoreService } from '@iodine/service-kit'
import { Types } from 'mongoose'
import type { SightingModels } from '../models/index.js'
import type { EdgeDoc, RunDoc } from '../models/run.js'
import { type Collected, collectPosts } from '../queries/collect-posts.js'
import { recordsAbout } from '../queries/records-about.js'
import type { Secrets } from '../store.js'
import type { Findings, FoundEdge, Post } from '../thread/find.js'
import { findInThread } from '../thread/start.js'

/** A process that works on a run says so again before this is over; after it another begins anew. */
const LEASE_MS = 30_000
const RENEW_MS = 5_000
/** How long one call waits for the end of a run. */
const WAIT_MS = 10_000
/** Records of others that the edges of a run stand on: edges beyond are not kept. */
const FOREIGN_MAX = 200_000
const OPEN_MS = 10_000
/** Records that are looked up at once. */
const OPEN_MAX = 2_000
const BATCH = 200

export interface RunContext {
  models: SightingModels
  peers: Peers
  secrets: () => Promise<Secrets>
  log: StoreService['log']
}

/** Posts of others that they share at this moment: the index may not know yet that one does not any more. */
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
    const open = await peers.call('collector', recordsInternal.openRecords, {
      body: { user_id: userId, ids: foreign.map(({ id }) => id), excerpt: 0 },
      ms: OPEN_MS,
    })
    const seen = new Set(open.map(({ id }) => id))
    yield posts.filter(({ id, owner }) => owner === userId || seen.has(id))
  }
}

const edgeOf = (
  run: RunDoc,
  edge: FoundEdge,
  rank: number,
  owners: string[],
  foreign: string[],
): EdgeDoc => ({
  _id: new Types.ObjectId(),
  run: run._id,
  owner: run.owner,
  rank,
  a: edge.a,
  b: edge.b,
  weight: edge.weight,
  avg_delta_s: edge.avgDeltaS,
  n_a: edge.nA,
  n_b: edge.nB,
  symmetry: edge.symmetry,
  significant: edge.significant,
  p_value: edge.pValue,
  q_value: edge.qValue,
  pairs: edge.pairs.map(({ kind, object, older, newer, deltaS }) => ({
    kind,
    object,
    older: new Types.ObjectId(older),
    newer: new Types.ObjectId(newer),
    delta_s: deltaS,
  })),
  owners: owners.map(id => new Types.ObjectId(id)),
  foreign: foreign.map(id => new Types.ObjectId(id)),
  expires_at: run.expires_at,
})

/** Removes edges that stand on records which were deleted, or ceased to be shared, while the run was under way. */
const removeGone = async ({ edges, sightings }: SightingModels, run: RunDoc, foreign: Types.ObjectId[]) => {
  for (let at = 0; at < foreign.length; at += OPEN_MAX) {
    const some = foreign.slice(at, at + OPEN_MAX)
    const left = await sightings
      .find({ _id: { $in: some }, shared: { $exists: true } }, { _id: 1 })
      .lean<{ _id: Types.ObjectId }[]>()
    const isLeft = new Set(left.map(({ _id }) => _id.toHexString()))
    const gone = some.filter(id => !isLeft.has(id.toHexString()))
    if (gone.length > 0) await edges.deleteMany({ run: run._id, foreign: { $in: gone } })
  }
}

/** Stores what was found. Resolves to whether all edges are kept. */
const store = async (
  models: SightingModels,
  run: RunDoc,
  { found, edges: all }: Findings,
  own: Set<string>,
) => {
  const { edges } = models
  await edges.deleteMany({ run: run._id })
  const owner = run.owner.toHexString()
  let foreignLeft = FOREIGN_MAX
  const docs: EdgeDoc[] = []
  for (const edge of found) {
    const foreign = edge.records.filter(id => !own.has(id))
    foreignLeft -= foreign.length
    if (foreignLeft < 0) break
    docs.push(
      edgeOf(
        run,
        edge,
        docs.length,
        edge.owners.filter(id => id !== owner),
        foreign,
      ),
    )
  }
  for (let at = 0; at < docs.length; at += BATCH)
    await edges.collection.insertMany(docs.slice(at, at + BATCH) as never[])
  const foreign = new Map(docs.flatMap(doc => doc.foreign.map(id => [id.toHexString(), id])))
  await removeGone(models, run, [...foreign.values()])
  return docs.length === all
}

const work = async (context: RunContext, run: RunDoc, lease: string, signal: AbortSignal): Promise<void> => {
  const { models, peers } = context
  const { runs } = models
  const at = { _id: run._id, lease }
  let progress = 0.05
  let lost = false
  const renew = setInterval(() => {
    runs
      .updateOne(at, { $set: { progress, leased_until: new Date(Date.now() + LEASE_MS) } })
      .then(({ matchedCount }) => {
        lost ||= matchedCount === 0
      })
      .catch(() => {})
  }, RENEW_MS)
  try {
    const owner = run.owner.toHexString()
    const collected: Collected = {
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
    if (lost) return
    const isWhole = await store(models, run, findings, own)
    const { posts: looked, without_time, without_account, left_out, truncated } = collected
    const { shares, pairs, accounts, edges, threshold, truncatedObjects } = findings
    const { matchedCount } = await runs.updateOne(at, {
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
    // Removed meanwhile, with its user perhaps.
    if (matchedCount === 0 && !(await runs.exists({ _id: run._id })))
      await models.edges.deleteMany({ run: run._id })
  } finally {
    clearInterval(renew)
  }
}

/** A part that is down comes back. */
const passes = (error: unknown): boolean =>
  error instanceof HttpError || (error instanceof Error && error.name.startsWith('Mongo'))

export interface Runner {
  /**
   * Works on a run, or waits some seconds for the process that does.
   * @returns whether there is more to do
   */
  step(id: string): Promise<boolean>
  /** Stops what is under way: another process, or this one after its start, begins it anew. */
  stop(): Promise<void>
}

/** Works on runs, each in a thread of its own. */
export const createRunner = (context: RunContext): Runner => {
  const { runs } = context.models
  const atWork = new Map<string, Promise<void>>()
  const stopping = new AbortController()

  const stopped = async ({ _id }: RunDoc, lease: string, error: unknown) => {
    const at = { _id, lease }
    if (stopping.signal.aborted || passes(error))
      await runs.updateOne(at, { $set: { state: 'queued', progress: 0, leased_until: new Date() } })
    else {
      const problem = 'There was too much to compare, or an error on the server'
      await runs.updateOne(at, { $set: { state: 'failed', problem }, $unset: { place: 1 } })
    }
  }

  const begin = async (id: string): Promise<boolean> => {
    const now = new Date()
    const lease = randomUUID()
    const run = await runs
      .findOneAndUpdate(
        { _id: id, place: { $exists: true }, leased_until: { $lte: now } },
        { $set: { state: 'running', lease, leased_until: new Date(now.getTime() + LEASE_MS) } },
        { returnDocument: 'after' },
      )
      .lean<RunDoc>()
    if (!run) return false
    const working = work(context, run, lease, stopping.signal)
      .catch((error: unknown) => {
        context.log.warn({ err: error, run: id }, 'run stopped')
        return stopped(run, lease, error)
      })
      // Nobody renews the lease: another begins when it is over.
      .catch((error: unknown) => context.log.warn({ err: error, run: id }, 'run left as it is'))
      .finally(() => atWork.delete(id))
    atWork.set(id, working)
    return true
  }

  return {
    async step(id) {
      if (atWork.has(id) || (await begin(id))) {
        let timer: NodeJS.Timeout | undefined
        const waited = new Promise(resolve => {
          timer = setTimeout(resolve, WAIT_MS)
        })
        await Promise.race([atWork.get(id), waited])
        clearTimeout(timer)
      }
      return (await runs.exists({ _id: id, place: { $exists: true } })) !== null
    },
    async stop() {
      stopping.abort()
      await Promise.all(atWork.values())
    },
  }
}
