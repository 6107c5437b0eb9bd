import { type DomainEvent, LIMITS, type NotificationEvent, tlpOfRank } from '@iodine/contracts'
import {
  byId,
  type Kind,
  PEER_BACKOFF_MAX_MS,
  publishToCommunity,
  publishToWatchers,
  type StoreService,
} from '@iodine/service-kit'
import type { IodDoc, IodModel } from '../models/iod.js'

/** Returns the domain events of an IOD; none when the creator's account is deleted. */
export const eventsOfIod = (doc: IodDoc): DomainEvent[] => {
  const { _id, value, category, description, created_by, created_at } = doc
  if (!created_by) return []
  const [id, user_id] = [_id.toHexString(), created_by.toHexString()]
  const data = { id, user_id, value, category, description, created_at: created_at.toISOString() }
  return [{ type: 'iod.created', data }]
}

/** Returns the event for those who watch; none when the creator's account is deleted, or the IOD is TLP:RED. */
const watchedEventsOf = (doc: IodDoc): NotificationEvent[] => {
  const { _id, value, category, description, source_type, source, source_id, created_by, created_at } = doc
  const tlp = tlpOfRank(doc.tlp)
  if (!created_by || tlp === 'red') return []
  const [id, user_id, at] = [_id.toHexString(), created_by.toHexString(), created_at.toISOString()]
  const content = { value, category, description, source_type, source, source_id }
  return [{ type: 'iod.created', id, user_id, ...content, tlp, at }]
}

export type NewIods = Kind<{ id: string }>

/** Time for which events wait in an outbox kind of their own after a failure of the notifications service. */
const OUTAGE_MS = 30_000

/**
 * Registers the outbox kinds that publish new IODs to the community service, and then to those who watch. An outage of
 * the notifications service delays no event to community: its events are then enqueued separately.
 */
export const createNewIods = ({ outbox, peers }: StoreService, iods: IodModel): NewIods => {
  const common = {
    payload: byId.payload,
    batch: LIMITS.upsertIodsMax,
    backoffMaxMs: PEER_BACKOFF_MAX_MS,
  }
  const find = (created: readonly { id: string }[]) =>
    iods
      .find({ _id: { $in: created.map(({ id }) => id) as never } })
      .select('+tlp')
      .lean<IodDoc[]>()
  const notify = (docs: readonly IodDoc[]) => publishToWatchers(peers, docs.flatMap(watchedEventsOf))
  const watched = outbox.kind('iod.watched', {
    ...common,
    handle: async created => notify(await find(created)),
  })
  let waitUntil = 0
  return outbox.kind('iod.created', {
    ...common,
    async handle(created) {
      const docs = await find(created)
      await publishToCommunity(peers, docs.flatMap(eventsOfIod))
      if (Date.now() >= waitUntil)
        try {
          return await notify(docs)
        } catch {
          waitUntil = Date.now() + OUTAGE_MS
        }
      await watched.addAll(created)
    },
  })
}
