import { communityInternal, type DomainEvent } from '@iodine/contracts'
import type { Peers } from '../http/peers.js'

const COMMUNITY_MS = 10_000

/** Longest wait between attempts of outbox kinds that call another part: they continue soon after it is back. */
export const PEER_BACKOFF_MAX_MS = 10_000

/** Sends events to the community service, which applies them in order. Idempotent. Rejects with the service's error. */
export const publishToCommunity = async (peers: Peers, events: readonly DomainEvent[]): Promise<void> => {
  if (events.length > 0)
    await peers.call('community', communityInternal.applyEvents, {
      body: { events: [...events] },
      ms: COMMUNITY_MS,
    })
}
