import { communityInternal, type DomainEvent, LIMITS } from '@iodine/contracts'
import { isFinalRefusal, type Peers, type Queues, repeatNotices, tellCommunity } from '@iodine/service-kit'
import type { IodDoc, IodModel } from '../models/iod.js'

const REPAIR_AFTER_MS = 2_000
const COMMUNITY_MS = 10_000

type IodCreated = Extract<DomainEvent, { type: 'iod.created' }>

interface Publishing {
  iods: IodModel
  queues: Queues
  peers: Peers
}

/** The events of an IOD for other services; none when the creator's account is deleted. */
export const eventsOfIod = (doc: IodDoc): IodCreated[] => {
  const { _id, value, category, description, created_by, created_at } = doc
  if (!created_by) return []
  const [id, user_id] = [_id.toHexString(), created_by.toHexString()]
  const data = { id, user_id, value, category, description, created_at: created_at.toISOString() }
  return [{ type: 'iod.created', data }]
}

/** Queues a job that sends an IOD to the community service. Idempotent. */
export const giveNotice = (queues: Queues, { _id }: IodDoc): Promise<void> =>
  queues.emit({ type: 'iod.created', id: _id.toHexString() })

/**
 * Sends an IOD to the community service, then marks it as announced; with those that were created together with it, if
 * it is taken with them. Idempotent.
 */
export const announceIod = async ({ iods, peers }: Publishing, id: string): Promise<void> => {
  const doc = await iods.findById(id).lean<IodDoc>()
  if (!doc) return
  const { created_by, created_at } = doc
  // What one call has created has one time.
  const others =
    created_by && !doc.announced
      ? await iods
          .find({ created_by, created_at, announced: false, _id: { $ne: doc._id } })
          .limit(LIMITS.broughtIodsMax - 1)
          .lean<IodDoc[]>()
      : []
  const note = (docs: readonly IodDoc[]) =>
    iods.updateMany(
      { _id: { $in: docs.map(({ _id }) => _id) } },
      { $set: { announced: true }, $unset: { check_at: 1 } },
    )
  if (others.length > 0) {
    const all = [doc, ...others]
    const told = await tellOfIods(peers, all.flatMap(eventsOfIod)).catch(error => {
      // One of them is to blame: each is told by itself, and the repair gives notice of the others.
      if (!isFinalRefusal(error)) throw error
      return false
    })
    if (told) {
      await note(all)
      return
    }
  }
  await tellCommunity(peers, eventsOfIod(doc), check_at =>
    iods.updateOne({ _id: doc._id }, { $max: { check_at } }),
  )
  await note([doc])
}

const tellOfIods = async (peers: Peers, events: IodCreated[]): Promise<boolean> => {
  await peers.call('community', communityInternal.applyIods, { body: { events }, ms: COMMUNITY_MS })
  return true
}

/** Queues notices again for IODs that the community service does not have. Resolves to their number. */
export const publishForgotten = ({ iods, queues }: Pick<Publishing, 'iods' | 'queues'>): Promise<number> =>
  repeatNotices(queues, iods, { created_at: { $lt: new Date(Date.now() - REPAIR_AFTER_MS) } }, doc =>
    giveNotice(queues, doc),
  )
