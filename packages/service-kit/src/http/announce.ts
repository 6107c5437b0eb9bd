import { communityInternal, type DomainEvent } from '@iodine/contracts'
import type { Model, QueryFilter, Types } from 'mongoose'
import type { Queues } from '../queues/queues.js'
import { HttpError } from './errors.js'
import type { Peers } from './peers.js'

const COMMUNITY_MS = 10_000
/** A later version of the community service may accept an event that this one refuses. */
const REFUSED_RECHECK_MS = 24 * 3_600_000
/** Temporary refusals: a route or key that is being deployed, a timeout, a rate limit. */
const PASSING = new Set([404, 408, 425, 429])

/** True for a permanent refusal: a 4xx that a retry would get again. */
export const isFinalRefusal = (error: unknown): error is HttpError =>
  error instanceof HttpError && error.status >= 400 && error.status < 500 && !PASSING.has(error.status)

/**
 * Sends events to the community service in order. Throws its error.
 * @param refused records when the repair retries an event that the community service refuses permanently
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

/** Fields that record which version of a document was announced to the community service. */
interface Announced {
  _id: Types.ObjectId
  announced: boolean
  check_at?: Date
}

const REPAIR_BATCH = 500
/** Time for the workers to process a notice before it is repeated. */
const RECHECK_MS = 15_000

/**
 * Repeats notices for documents not yet announced to the community service, because of a crash, or because
 * Redis was down or lost its data. Resolves to their number.
 * @param filter which of the unannounced documents are due
 * @param prepare runs before the first notice
 */
export const repeatNotices = async <D extends Announced>(
  queues: Queues,
  model: Model<D>,
  filter: QueryFilter<Announced & { created_at: Date }>,
  giveNotice: (doc: D) => Promise<void>,
  prepare: () => Promise<unknown> = async () => {},
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
