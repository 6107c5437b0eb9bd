import type { DomainEvent } from '@iodine/contracts'
import { type Peers, type Queues, repeatNotices, tellCommunity } from '@iodine/service-kit'
import type { IodDoc, IodModel } from '../models/iod.js'

const REPAIR_AFTER_MS = 2_000

interface Publishing {
  iods: IodModel
  queues: Queues
  peers: Peers
}

/** The events of an IOD for other services; none when the creator's account is deleted. */
export const eventsOfIod = (doc: IodDoc): DomainEvent[] => {
  const { _id, value, category, description, created_by, created_at } = doc
  if (!created_by) return []
  const [id, user_id] = [_id.toHexString(), created_by.toHexString()]
  const data = { id, user_id, value, category, description, created_at: created_at.toISOString() }
  return [{ type: 'iod.created', data }]
}

/** Queues a job that sends an IOD to the community service. Idempotent. */
export const giveNotice = (queues: Queues, { _id }: IodDoc): Promise<void> =>
  queues.emit({ type: 'iod.created', id: _id.toHexString() })

/** Sends an IOD to the community service, then marks it as announced. Idempotent. */
export const announceIod = async ({ iods, peers }: Publishing, id: string): Promise<void> => {
  const doc = await iods.findById(id).lean<IodDoc>()
  if (!doc) return
  await tellCommunity(peers, eventsOfIod(doc), check_at =>
    iods.updateOne({ _id: doc._id }, { $max: { check_at } }),
  )
  await iods.updateOne({ _id: doc._id }, { $set: { announced: true }, $unset: { check_at: 1 } })
}

/** Queues notices again for IODs that the community service does not have. Resolves to their number. */
export const publishForgotten = ({ iods, queues }: Pick<Publishing, 'iods' | 'queues'>): Promise<number> =>
  repeatNotices(queues, iods, { created_at: { $lt: new Date(Date.now() - REPAIR_AFTER_MS) } }, doc =>
    giveNotice(queues, doc),
  )
