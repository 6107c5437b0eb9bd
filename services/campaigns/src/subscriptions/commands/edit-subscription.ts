import { randomBytes } from 'node:crypto'
import { authInternal, type BodyOf, DETAILS, LIMITS, type subscriptionsApi } from '@iodine/contracts'
import { HttpError, notFound, type Peers } from '@iodine/service-kit'
import { Types } from 'mongoose'
import type { Store } from '../../models.js'
import { NOTHING_SKIPPED, type SubscriptionDoc } from '../models/subscription.js'

type Created = BodyOf<typeof subscriptionsApi.createSubscription>

/** Seals a secret at auth, which has the key. This service cannot open it. */
const sealSecret = async (
  peers: Peers,
  { id, url }: { id: string; url: string },
  secret: Created['secret'],
): Promise<string | null> =>
  secret
    ? (
        await peers.call('auth', authInternal.sealFeedSecret, {
          body: { id, url, secret: JSON.stringify(secret) },
        })
      ).sealed
    : null

/** Creates a subscription. Throws 404 without the campaign, 409 past their maximum number, 503 while auth is down. */
export const createSubscription = async (
  { campaigns, subscriptions }: Store,
  peers: Peers,
  userId: string,
  { url, kind, campaign_id, every, secret, public_key }: Created,
): Promise<SubscriptionDoc> => {
  if (!(await campaigns.exists({ _id: campaign_id }))) throw notFound()
  if ((await subscriptions.countDocuments()) >= LIMITS.subscriptionsMax)
    throw new HttpError(409, DETAILS.subscriptionsFull)
  const _id = new Types.ObjectId()
  const created_at = new Date()
  const doc: SubscriptionDoc = {
    _id,
    user_id: new Types.ObjectId(userId),
    url,
    kind,
    sealed: await sealSecret(peers, { id: _id.toHexString(), url }, secret),
    public_key: public_key ?? null,
    every,
    campaign_id: new Types.ObjectId(campaign_id),
    paused: false,
    state: 'waiting',
    lease: null,
    cursor: null,
    next_cursor: null,
    withdrawn: [],
    skipped: NOTHING_SKIPPED,
    more: false,
    import_id: null,
    pending: null,
    next_at: created_at,
    last: null,
    created_at,
  }
  await subscriptions.create(doc)
  return doc
}

/** Changes a subscription. Throws 404, 503 while auth is down. */
export const updateSubscription = async (
  { subscriptions }: Store,
  peers: Peers,
  userId: string,
  id: string,
  { paused, every, secret, public_key }: BodyOf<typeof subscriptionsApi.updateSubscription>,
): Promise<SubscriptionDoc> => {
  const doc = await subscriptions.findById(id).lean<SubscriptionDoc>()
  if (!doc) throw notFound()
  const now = new Date()
  const changes = {
    ...(secret !== undefined && { sealed: await sealSecret(peers, { id, url: doc.url }, secret) }),
    ...(public_key !== undefined && { public_key }),
    ...(every !== undefined && { every }),
    // Without its lease a run in progress ends. An import in progress is completed.
    ...(paused === true && { paused, ...(doc.state === 'fetching' && { state: 'waiting', lease: null }) }),
    ...(paused === false && { paused, user_id: new Types.ObjectId(userId), next_at: now }),
  } as const
  const changed = await subscriptions
    .findOneAndUpdate({ _id: id }, { $set: changes }, { returnDocument: 'after' })
    .select('+sealed')
    .lean<SubscriptionDoc>()
  if (!changed) throw notFound()
  return changed
}

/** Makes a subscription due. Throws 404, 409 while it is paused or in progress. */
export const runSubscription = async ({ subscriptions }: Store, id: string): Promise<SubscriptionDoc> => {
  const due = await subscriptions
    .findOneAndUpdate(
      { _id: id, paused: false, state: { $in: ['waiting', 'stopped'] } },
      { $set: { next_at: new Date() } },
      { returnDocument: 'after' },
    )
    .select('+sealed')
    .lean<SubscriptionDoc>()
  if (due) return due
  if (!(await subscriptions.exists({ _id: id }))) throw notFound()
  throw new HttpError(409, DETAILS.subscriptionBusy)
}

/** Deletes a subscription. Its objects remain, as an import that can be removed. Throws 404. */
export const deleteSubscription = async (
  { subscriptions, importParts }: Store,
  id: string,
): Promise<void> => {
  const gone = await subscriptions.findOneAndDelete({ _id: id }).lean<SubscriptionDoc>()
  if (!gone) throw notFound()
  if (gone.pending) await importParts.deleteMany({ import_id: gone.pending })
}

/** Returns a new token, which identifies a run. */
export const newToken = (): string => randomBytes(16).toString('hex')
