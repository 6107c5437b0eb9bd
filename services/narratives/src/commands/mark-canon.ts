import { byId, inTransaction, type Kind, type KindSpec, type StoreService } from '@iodine/service-kit'
import type { ClientSession, Types } from 'mongoose'
import { type CanonDoc, isClustered } from '../models/canon.js'
import type { NarrativeModels } from '../models/index.js'

/** Time for the job to be done, before it is added again. */
const GRACE_MS = 5_000
/** Texts that follow each other are clustered together. */
const DEBOUNCE_MS = 500

/** Users whose labels are to be clustered anew, by their ids as keys. */
export interface Clusterings {
  clusterings: Kind<{ id: string }>
}
type Canon = Pick<NarrativeModels, 'mongo' | 'canon'> & Clusterings

/** Work of the outbox: has the workers cluster a user's labels, until the clusters are those of the present. */
export const clusteringWork = (
  { queues }: Pick<StoreService, 'queues'>,
  { canon }: Pick<NarrativeModels, 'canon'>,
): KindSpec<{ id: string }> => ({
  ...byId,
  concurrency: 4,
  backoffMaxMs: GRACE_MS,
  async handle([owed]) {
    const user_id = owed?.id ?? ''
    const state = await canon.findById(user_id).lean<CanonDoc>()
    if (!state || isClustered(state)) return
    // One job is enough for all that is owed: it goes on until nothing is.
    const options = { jobId: `canon-${user_id}`, removeOnComplete: true, removeOnFail: true }
    await queues.add('canon', { user_id }, options)
    return GRACE_MS
  },
})

/** Has a user's labels clustered after the commit. */
export const oweClusters = (
  { clusterings }: Clusterings,
  user_id: Types.ObjectId,
  session: ClientSession,
): Promise<void> => clusterings.add({ id: user_id.toHexString() }, { dueIn: DEBOUNCE_MS, session })

/**
 * Notes in the transaction that changes a user's triplets that their clusters are to be made anew. The clusters
 * stay in use meanwhile; new labels stand alone.
 */
export const markTexts = async (
  store: Canon,
  user_id: Types.ObjectId,
  session: ClientSession,
): Promise<void> => {
  await store.canon.updateOne({ _id: user_id }, { $inc: { texts: 1 } }, { session, upsert: true })
  await oweClusters(store, user_id, session)
}

/** Notes that a user has asked for a comparison by meaning. Asking again before it is done changes nothing. */
export const markComparison = (store: Canon, user_id: Types.ObjectId): Promise<void> =>
  inTransaction(store.mongo, async session => {
    await store.canon.updateOne({ _id: user_id }, { $set: { compare: true } }, { session, upsert: true })
    await oweClusters(store, user_id, session)
  })
