import type { StoreService } from '@iodine/service-kit'
import type { ClientSession, Types } from 'mongoose'
import type { CanonDoc } from '../models/canon.js'
import type { NarrativeModels } from '../models/index.js'

/** Time for the job to be done, before the repair adds it again. */
const GRACE_MS = 5_000
/** Texts that follow each other are clustered together. */
const DEBOUNCE_MS = 500
const REPAIR_BATCH = 200

export const nextCanonCheck = (): Date => new Date(Date.now() + GRACE_MS)

/**
 * Notes in the transaction that changes a user's triplets that their clusters are to be made anew. The clusters
 * stay in use meanwhile; new labels stand alone.
 */
export const markTexts = async (
  { canon }: Pick<NarrativeModels, 'canon'>,
  user_id: Types.ObjectId,
  session: ClientSession,
): Promise<void> => {
  await canon.updateOne(
    { _id: user_id },
    { $inc: { texts: 1 }, $set: { check_at: nextCanonCheck() } },
    { session, upsert: true },
  )
}

/** Notes that a user has asked for a comparison by meaning. Asking again before it is done changes nothing. */
export const markComparison = async (
  { canon }: Pick<NarrativeModels, 'canon'>,
  user_id: Types.ObjectId,
): Promise<void> => {
  await canon.updateOne(
    { _id: user_id },
    { $set: { compare: true, check_at: nextCanonCheck() } },
    { upsert: true },
  )
}

/** Adds the job that clusters a user's labels. One is enough for all that is owed: it goes on until nothing is. */
export const queueCanon = (
  { service }: { service: StoreService },
  user_id: Types.ObjectId,
): Promise<unknown> => {
  const id = user_id.toHexString()
  return service.queues
    .add(
      'canon',
      { user_id: id },
      { jobId: `canon-${id}`, delay: DEBOUNCE_MS, removeOnComplete: true, removeOnFail: true },
    )
    .catch(error => service.log.warn({ err: error }, 'clusters are not queued yet'))
}

/** Adds the jobs again that a lost Redis or a crash has left out. */
export const repairCanon = async (
  store: Pick<NarrativeModels, 'canon'> & { service: StoreService },
): Promise<void> => {
  const due = await store.canon
    .find({ check_at: { $lte: new Date() } }, { _id: 1 })
    .sort({ check_at: 1 })
    .limit(REPAIR_BATCH)
    .lean<Pick<CanonDoc, '_id'>[]>()
  for (const { _id } of due) {
    await store.canon.updateOne({ _id }, { $max: { check_at: nextCanonCheck() } })
    await queueCanon(store, _id)
  }
}
