import { byId, inTransaction, type Kind, type KindSpec, type StoreService } from '@iodine/service-kit'
import type { ClientSession, Types } from 'mongoose'
import type { NarrativeModels } from '../../models.js'
import { isClustered } from '../models/canon.js'

/** Interval after which the job is added again while clusters are out of date. */
const GRACE_MS = 5_000
/** Delay of the clustering, so that one job covers consecutive texts. */
const DEBOUNCE_MS = 500

/** Outbox entries of users whose labels changed since they were clustered; keyed by user. */
export interface Clusterings {
  clusterings: Kind<{ id: string }>
}
type Canon = Pick<NarrativeModels, 'mongo' | 'canon'> & Clusterings

/** Outbox handler: adds the job that clusters a user's labels, until the clusters are up to date. */
export const clusteringWork = (
  { queues }: Pick<StoreService, 'queues'>,
  { canon }: Pick<NarrativeModels, 'canon'>,
): KindSpec<{ id: string }> => ({
  ...byId,
  concurrency: 4,
  backoffMaxMs: GRACE_MS,
  async handle([changed]) {
    const user_id = changed?.id ?? ''
    const state = await canon.findById(user_id).lean()
    if (!state || isClustered(state)) return
    // One job per user, which clusters until the clusters are up to date.
    const options = { jobId: `canon-${user_id}`, removeOnComplete: true, removeOnFail: true }
    await queues.add('canon', { user_id }, options)
    return GRACE_MS
  },
})

/** Enqueues the clustering of a user's labels after the commit. */
export const enqueueClustering = (
  { clusterings }: Clusterings,
  user_id: Types.ObjectId,
  session: ClientSession,
): Promise<void> => clusterings.add({ id: user_id.toHexString() }, { dueIn: DEBOUNCE_MS, session })

/**
 * Enqueues the clustering of a user's labels in the transaction that changes the triplets. The clusters stay in use
 * meanwhile; new labels have no cluster.
 */
export const markTexts = async (
  store: Canon,
  user_id: Types.ObjectId,
  session: ClientSession,
): Promise<void> => {
  await store.canon.updateOne({ _id: user_id }, { $inc: { texts: 1 } }, { session, upsert: true })
  await enqueueClustering(store, user_id, session)
}

/** Enqueues a comparison by meaning that a user requested. Idempotent while one is pending. */
export const markComparison = (store: Canon, user_id: Types.ObjectId): Promise<void> =>
  inTransaction(store.mongo, async session => {
    await store.canon.updateOne({ _id: user_id }, { $set: { compare: true } }, { session, upsert: true })
    await enqueueClustering(store, user_id, session)
  })
