import {
  type BodyOf,
  communityInternal,
  type DomainEvent,
  type NotificationEvent,
  notificationsInternal,
} from '@iodine/contracts'
import type { Peers } from '../http/peers.js'

/** Timeout of a batch of events, and of a batch of records of maximum size. */
const EVENTS_MS = 10_000
const RECORDS_MS = 30_000

/** Longest wait between attempts of outbox kinds that call another part: they continue soon after it is back. */
export const PEER_BACKOFF_MAX_MS = 10_000

/** Sends events to the community service, which applies them in order. Idempotent. Rejects with the service's error. */
export const publishToCommunity = async (peers: Peers, events: readonly DomainEvent[]): Promise<void> => {
  if (events.length > 0)
    await peers.call('community', communityInternal.applyEvents, {
      body: { events: [...events] },
      ms: EVENTS_MS,
    })
}

/**
 * Sends events to the notifications service, which notifies the users who watch their subjects, once for each event.
 * Idempotent. Rejects with the service's error.
 */
export const publishToWatchers = async (
  peers: Peers,
  events: readonly NotificationEvent[],
): Promise<void> => {
  if (events.length > 0)
    await peers.call('notifications', notificationsInternal.receiveEvents, {
      body: { events: [...events] },
      ms: EVENTS_MS,
    })
}

/** Sends a user's new or shared records to the notifications service. Idempotent. Rejects with the service's error. */
export const publishRecordsToWatchers = async (
  peers: Peers,
  body: BodyOf<typeof notificationsInternal.receiveRecords>,
): Promise<void> => {
  if (body.records.length > 0)
    await peers.call('notifications', notificationsInternal.receiveRecords, { body, ms: RECORDS_MS })
}
