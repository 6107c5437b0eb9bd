import { keysInternal, LIMITS, type SealedCount } from '@iodine/contracts'
import { type Peers, sealedWith } from '@iodine/service-kit'
import type { Store } from '../../models.js'
import type { SubscriptionDoc } from '../models/subscription.js'

type Sealed = Pick<SubscriptionDoc, '_id' | 'url'> & { sealed: string }

const sealedSubscriptions = ({ subscriptions }: Store, after: string | null) =>
  subscriptions
    .find({ sealed: { $type: 'string' }, ...(after !== null && { _id: { $gt: after } }) })
    .select('+sealed url')
    .sort({ _id: 1 })

/** Reseals secrets at auth with its current key. Null: no key opens the secret. Throws 503 while auth is down. */
const reseal = async (peers: Peers, docs: readonly Sealed[]): Promise<(string | null)[]> => {
  const values = docs.map(({ _id, url, sealed }) => ({ id: _id.toHexString(), url, sealed }))
  return peers.call('auth', keysInternal.resealFeedSecrets, { body: { values } })
}

/** Counts subscriptions' secrets by the key that seals them. */
export const countSealed = async (store: Store): Promise<SealedCount[]> => {
  const counts = new Map<string, number>()
  for (const { sealed } of await sealedSubscriptions(store, null).lean<Sealed[]>()) {
    const key = sealedWith(sealed)
    if (key !== undefined) counts.set(key, (counts.get(key) ?? 0) + 1)
  }
  return [...counts].map(([key, count]) => ({ kind: 'feed_secrets' as const, key, count }))
}

/**
 * Reseals a batch of subscriptions' secrets with auth's current key. A secret that is changed meanwhile remains as it
 * is. Idempotent and interruptible. Throws 503 while auth is down.
 * @param cursor end of the previous batch; null begins
 */
export const resealSecrets = async (store: Store, peers: Peers, cursor: string | null) => {
  const docs = await sealedSubscriptions(store, cursor).limit(LIMITS.resealedAtOnce).lean<Sealed[]>()
  const answers = await reseal(peers, docs)
  let resealed = 0
  for (const [n, { _id, url, sealed: before }] of docs.entries()) {
    const sealed = answers[n]
    if (typeof sealed !== 'string' || sealed === before) continue
    const changed = await store.subscriptions.updateOne({ _id, url, sealed: before }, { $set: { sealed } })
    resealed += changed.modifiedCount
  }
  const last = docs.length === LIMITS.resealedAtOnce ? docs.at(-1) : undefined
  return {
    resealed,
    unreadable: answers.filter(answer => answer === null).length,
    cursor: last?._id.toHexString() ?? null,
  }
}
