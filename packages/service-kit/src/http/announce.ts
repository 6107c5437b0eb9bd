import { communityInternal, type DomainEvent } from '@iodine/contracts'
import type { Model, QueryFilter, Types } from 'mongoose'
import type { Queues } from '../queues/queues.js'
import { HttpError } from './errors.js'
import type { Peers } from './peers.js'

const COMMUNITY_MS = 10_000
/** A later version of the community may take what this one refuses. */
const REFUSED_RECHECK_MS = 24 * 3_600_000
/** Refusals that pass: a route or key that is being deployed, a time-out, a limit. */
const PASSING = new Set([404, 408, 425, 429])

/** Whether an answer is a refusal (4xx) that the same request gets each time. */
export const isFinalRefusal = (error: unknown): error is HttpError =>
  error instanceof HttpError && error.status >= 400 && error.status < 500 && !PASSING.has(error.status)

/**
 * Tells the community of events, in their order. Throws what it answers.
 * @param refused notes the time at which the repair is to try again, when the community refuses an event for what it is
 */
export const tellCommunity = async (
  peers: Peers,
  events: readonly DomainEvent[],
  refused: (recheckAt: Date) => Promise<unknown>,
): Promise<void> => {
  try {
    for (const body of events)
      await peers.call('community', communityInternal.applyEvent, { body, ms: COMMUNITY_MS })
  } catch (error) {
    if (isFinalRefusal(error)) await refused(new Date(Date.now() + REFUSED_RECHECK_MS))
    throw error
  }
}

/** What a document notes of what the community knows of it. */
interface Announced {
  _id: Types.ObjectId
  announced: boolean
  check_at?: Date
}

const REPAIR_BATCH = 500
/** The workers' time before a notice is repeated. */
const RECHECK_MS = 15_000

/**
 * Gives notice again of documents that the community does not know yet, because of a crash, or of a Redis that was down or
 * lost its data. Resolves to their number.
 * @param filter which of the unannounced documents are due
 * @param prepare runs before the first notice
 */
export const repeatNotices = async <D extends Announced>(
  queues: Queues,
  model: Model<D>,
  filter: QueryFilter<Announced & { created_at: Date }>,
  prepare: () => Promise<unknown>,
  giveNotice: (doc: D) => Promise<void>,
): Promise<number> => {
  const room = await queues.roomForNotices()
  if (room === 0) return 0
  const now = Date.now()
  const due = { ...filter, announced: false, check_at: { $not: { $gt: new Date(now) } } }
  const docs = await model
    .find(due as QueryFilter<D>)
    .limit(Math.min(REPAIR_BATCH, room))
    .lean<D[]>()
  if (docs.length === 0) return 0
  await prepare()
  for (const doc of docs) await giveNotice(doc)
  await model.updateMany(
    { _id: { $in: docs.map(({ _id }) => _id) }, announced: false } as QueryFilter<D>,
    { $max: { check_at: new Date(now + RECHECK_MS) } } as object,
  )
  return docs.length
}
