import { communityInternal, type DomainEvent } from '@iodine/contracts'
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
