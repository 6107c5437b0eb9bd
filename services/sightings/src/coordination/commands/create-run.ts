import { LIMITS, type RunParameters } from '@iodine/contracts'
import { conflict, inTransaction, isDuplicateKey, notFound } from '@iodine/service-kit'
import { Types } from 'mongoose'
import type { SightingStore } from '../../store.js'
import type { RunDoc } from '../models/run.js'
import { removeRun } from './remove-run.js'

/**
 * Stores a run and its outbox entry in a free slot (`place`) of the user.
 * @throws HttpError 409 if all slots are taken
 */
const insert = async ({ models, runWork }: SightingStore, doc: RunDoc): Promise<RunDoc> => {
  for (let place = 0; place < LIMITS.coordinationRunsAtOnce; place++) {
    try {
      await inTransaction(models.mongo, async session => {
        await models.runs.insertMany([{ ...doc, place }], { session, lean: true })
        await runWork.add({ id: doc._id.toHexString() }, { session })
      })
      return doc
    } catch (error) {
      if (!isDuplicateKey(error)) throw error
    }
  }
  throw conflict(`${LIMITS.coordinationRunsAtOnce} runs are under way: wait until one is done`)
}

/**
 * Creates a run of a user, and removes the user's oldest finished runs above the limit.
 * @throws HttpError 409 if the maximum number of runs is under way, 404 for another user's post
 */
export const createRun = async (
  store: SightingStore,
  userId: string,
  { since, until, ...question }: RunParameters,
): Promise<RunDoc> => {
  const { models } = store
  const now = new Date()
  const record_id = question.about?.record_id
  if (
    record_id !== undefined &&
    !(await models.sightings.exists({ _id: record_id, owner: new Types.ObjectId(userId) }))
  )
    throw notFound()
  const doc = await insert(store, {
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
  })
  const older = await models.runs
    .find({ owner: doc.owner, place: { $exists: false } }, { _id: 1 })
    .sort({ created_at: -1 })
    .skip(LIMITS.coordinationRunsKept - LIMITS.coordinationRunsAtOnce)
    .lean()
  for (const { _id } of older) await removeRun(models, _id)
  return doc
}
