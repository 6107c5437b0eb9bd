import { type BodyOf, DETAILS, type ResponseOf, type subscriptionsInternal } from '@iodine/contracts'
import { HttpError, isAdmin, type Peers } from '@iodine/service-kit'
import type { QueryFilter } from 'mongoose'
import type { Store } from '../../models.js'
import { endOfRun, LEASE_MS, NOTHING_SKIPPED, type SubscriptionDoc } from '../models/subscription.js'
import { newToken } from './edit-subscription.js'

type Pull = NonNullable<ResponseOf<typeof subscriptionsInternal.claimPull>['pull']>

export const pullLost = () => new HttpError(409, DETAILS.pullLost)
const leaseEnd = () => new Date(Date.now() + LEASE_MS)

/** Returns the filter of a subscription with this run. */
export const inRun = (id: string, token: string) =>
  ({ _id: id, state: 'fetching', 'lease.token': token }) as const

/** Pauses a subscription until an administrator resumes or deletes it. */
const pause = async ({ subscriptions }: Store, doc: SubscriptionDoc, error: string) => {
  await subscriptions.updateOne(
    { _id: doc._id, 'lease.token': doc.lease?.token ?? '' },
    { $set: { ...endOfRun(doc, { error }), paused: true } },
  )
}

/**
 * Assigns a worker a subscription that is due, or whose lease has expired. A subscription has one run at a time.
 * @returns null if none is due
 */
export const claimPull = async (store: Store, peers: Peers): Promise<Pull | null> => {
  for (;;) {
    const now = new Date()
    const token = newToken()
    const due: QueryFilter<SubscriptionDoc> = {
      paused: false,
      $or: [
        { state: 'waiting', next_at: { $lte: now } },
        { state: 'fetching', 'lease.until': { $lte: now } },
      ],
    }
    // A retryable update writes to the database even if nothing matches.
    if (!(await store.subscriptions.exists(due))) return null
    const doc = await store.subscriptions
      .findOneAndUpdate(
        due,
        {
          $set: {
            state: 'fetching',
            lease: { token, until: leaseEnd() },
            next_cursor: null,
            withdrawn: [],
            skipped: NOTHING_SKIPPED,
            more: false,
          },
        },
        { sort: { next_at: 1 }, returnDocument: 'after' },
      )
      .select('+sealed +cursor +lease')
      .lean<SubscriptionDoc>()
    if (!doc) return null
    if (doc.pending) await store.importParts.deleteMany({ import_id: doc.pending })
    const userId = doc.user_id?.toHexString()
    if (!userId || !(await isAdmin(peers, userId))) await pause(store, doc, DETAILS.subscriptionOrphaned)
    else if (!(await store.campaigns.exists({ _id: doc.campaign_id })))
      await pause(store, doc, DETAILS.subscriptionHomeless)
    else {
      const { url, kind, sealed, public_key, cursor } = doc
      return { id: doc._id.toHexString(), token, url, kind, sealed, public_key, cursor }
    }
  }
}

/** Extends the lease of a run. Throws 409 once the run is over or another worker's. */
export const extendPull = async ({ subscriptions }: Store, id: string, token: string): Promise<void> => {
  const extended = await subscriptions.updateOne(inRun(id, token), { $set: { 'lease.until': leaseEnd() } })
  if (extended.matchedCount === 0) throw pullLost()
}

/** Records the end of a run, before `storePull` receives its file. Throws 409 as `extendPull`. */
export const stagePull = async (
  { subscriptions }: Store,
  id: string,
  { token, cursor, more, withdrawn, skipped }: BodyOf<typeof subscriptionsInternal.stagePull>,
): Promise<void> => {
  const staged = await subscriptions.updateOne(inRun(id, token), {
    $set: { next_cursor: cursor, more, withdrawn, skipped, 'lease.until': leaseEnd() },
  })
  if (staged.matchedCount === 0) throw pullLost()
}

/** Ends a failed run. Throws 409 as `extendPull`. */
export const failPull = async (
  { subscriptions }: Store,
  id: string,
  { token, error, retry_ms }: { token: string; error: string; retry_ms: number | null },
): Promise<void> => {
  const doc = await subscriptions.findOne(inRun(id, token)).lean<SubscriptionDoc>()
  if (!doc) throw pullLost()
  const failed = await subscriptions.updateOne(inRun(id, token), {
    $set: endOfRun({ every: doc.every }, { error }, retry_ms),
  })
  if (failed.matchedCount === 0) throw pullLost()
}
