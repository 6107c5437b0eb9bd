import { type DomainEvent, LIMITS } from '@iodine/contracts'
import { byId, type Kind, PEER_BACKOFF_MAX_MS, type StoreService, tellCommunity } from '@iodine/service-kit'
import type { IodDoc, IodModel } from '../models/iod.js'

/** The events of an IOD for other services; none when the creator's account is deleted. */
export const eventsOfIod = (doc: IodDoc): DomainEvent[] => {
  const { _id, value, category, description, created_by, created_at } = doc
  if (!created_by) return []
  const [id, user_id] = [_id.toHexString(), created_by.toHexString()]
  const data = { id, user_id, value, category, description, created_at: created_at.toISOString() }
  return [{ type: 'iod.created', data }]
}

export type NewIods = Kind<{ id: string }>

/** Work of the outbox: sends new IODs to the community service. */
export const createNewIods = ({ outbox, peers }: StoreService, iods: IodModel): NewIods =>
  outbox.kind('iod.created', {
    payload: byId.payload,
    batch: LIMITS.broughtIodsMax,
    backoffMaxMs: PEER_BACKOFF_MAX_MS,
    async handle(created) {
      const docs = await iods.find({ _id: { $in: created.map(({ id }) => id) as never } }).lean<IodDoc[]>()
      await tellCommunity(peers, docs.flatMap(eventsOfIod))
    },
  })
