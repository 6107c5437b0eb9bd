import { type DomainEvent, LIMITS } from '@iodine/contracts'
import {
  byId,
  type Kind,
  PEER_BACKOFF_MAX_MS,
  publishToCommunity,
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

export type NewIods = Kind<{ id: string }>

/** Registers the outbox kind that publishes new IODs to the community service. */
export const createNewIods = ({ outbox, peers }: StoreService, iods: IodModel): NewIods =>
  outbox.kind('iod.created', {
    payload: byId.payload,
    batch: LIMITS.upsertIodsMax,
    backoffMaxMs: PEER_BACKOFF_MAX_MS,
    async handle(created) {
      const docs = await iods.find({ _id: { $in: created.map(({ id }) => id) as never } }).lean<IodDoc[]>()
      await publishToCommunity(peers, docs.flatMap(eventsOfIod))
    },
  })
