import { LIMITS, type RunQuestion } from '@iodine/contracts'
import { conflict, isDuplicateKey, notFound, type StoreService } from '@iodine/service-kit'
import { Types } from 'mongoose'
import type { SightingModels } from '../models/index.js'
import type { RunDoc } from '../models/run.js'
import { removeRun } from './remove-run.js'

/** How long the repair waits before it queues a run that nobody works on. */
const CHECK_MS = 10_000
/** Runs that one repair queues. */
const REPEATED = 50

/** Has the workers do a run. Redis may be down: the repair adds the job again. */
const queueRun = async (
  { queues, log }: Pick<StoreService, 'queues' | 'log'>,
  run_id: string,
): Promise<void> => {
  await queues
    .add('coordination', { run_id })
    .catch(error => log.warn({ err: error, run: run_id }, 'run not queued yet'))
}

/** Takes one of the user's places for runs at once. Throws 409 if all are taken. */
const insert = async ({ runs }: SightingModels, doc: RunDoc): Promise<RunDoc> => {
  for (let place = 0; place < LIMITS.coordinationRunsAtOnce; place++) {
    try {
      await runs.collection.insertOne({ ...doc, place })
      return doc
    } catch (error) {
      if (!isDuplicateKey(error)) throw error
    }
  }
  throw conflict(`${LIMITS.coordinationRunsAtOnce} runs are under way: wait until one is done`)
}

/** Begins a run of a user. Older ones than are kept are removed. Throws 409 if as many are under way as may be at once,
 * 404 for a post that is not the user's. */
export const createRun = async (
  service: Pick<StoreService, 'queues' | 'log'>,
  models: SightingModels,
  userId: string,
  { since, until, ...question }: RunQuestion,
): Promise<RunDoc> => {
  const now = new Date()
  const record_id = question.about?.record_id
  if (
    record_id !== undefined &&
    !(await models.sightings.exists({ _id: record_id, owner: new Types.ObjectId(userId) }))
  )
    throw notFound()
  const doc = await insert(models, {
    _id: new Types.ObjectId(),
    owner: new Types.ObjectId(userId),
    state: 'queued',
    progress: 0,
    ...question,
    since: since ? new Date(since) : null,
    until: until ? new Date(until) : null,
    created_at: now,
    expires_at: new Date(now.getTime() + LIMITS.coordinationKeptMs),
    problem: null,
    totals: null,
    truncated: { shares: false, objects: 0, edges: false },
    leased_until: now,
    lease: null,
    check_at: new Date(now.getTime() + CHECK_MS),
  })
  const older = await models.runs
    .find({ owner: doc.owner, place: { $exists: false } }, { _id: 1 })
    .sort({ created_at: -1 })
    .skip(LIMITS.coordinationRunsKept - LIMITS.coordinationRunsAtOnce)
    .lean<Pick<RunDoc, '_id'>[]>()
  for (const { _id } of older) await removeRun(models, _id)
  await queueRun(service, doc._id.toHexString())
  return doc
}

/** Queues runs again that nobody has worked on for a while. Resolves to their number. */
export const repeatRuns = async (
  service: Pick<StoreService, 'queues' | 'log'>,
  { runs }: SightingModels,
): Promise<number> => {
  const now = new Date()
  const due = await runs
    .find({ place: { $exists: true }, check_at: { $lt: now }, leased_until: { $lt: now } }, { _id: 1 })
    .limit(REPEATED)
    .lean<Pick<RunDoc, '_id'>[]>()
  for (const { _id } of due) {
    await runs.updateOne({ _id }, { $set: { check_at: new Date(Date.now() + CHECK_MS) } })
    await queueRun(service, _id.toHexString())
  }
  return due.length
}
