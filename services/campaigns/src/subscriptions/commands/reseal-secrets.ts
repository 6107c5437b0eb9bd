import { keysInternal, LIMITS, type SealedCount } from '@iodine/contracts'
import { type Peers, sealedWith } from '@iodine/service-kit'
import type { Store } from '../../models.js'
import type { SubscriptionDoc } from '../models/subscription.js'

type Sealed = Pick<SubscriptionDoc, '_id' | 'url'> & { sealed: string }

const sealedOnes = ({ subscriptions }: Store, after: string | null) =>
  subscriptions
    .find({ sealed: { $type: 'string' }, ...(after !== null && { _id: { $gt: after } }) })
    .select('+sealed url')
    .sort({ _id: 1 })

/** Has auth seal some secrets with its present key: null where no key opens one. Throws 503 while auth is down. */
const sealedAnew = async (peers: Peers, docs: readonly Sealed[]): Promise<(string | null)[]> => {
  const values = docs.map(({ _id, url, sealed }) => ({ id: _id.toHexString(), url, sealed }))
  return peers.call('auth', keysInternal.resealFeedSecrets, { body: { values } })
}

/** Numbers of subscriptions' secrets by the key that seals them. */
export const countSealed = async (store: Store): Promise<SealedCount[]> => {
  const counts = new Map<string, number>()
  for (const { sealed } of await sealedOnes(store, null).lean<Sealed[]>()) {
    const key = sealedWith(sealed)
    if (key !== undefined) counts.set(key, (counts.get(key) ?? 0) + 1)
  }
  return [...counts].map(([key, count]) => ({ kind: 'feed_secrets' as const, key, count }))
}

/**
 * One step of having auth seal subscriptions' secrets with its present key. A secret that is changed meanwhile is
 * left alone. May be repeated and cut off at any point. Throws 503 while auth is down.
 * @param cursor where the last step ended; null begins
 */
export const resealSecrets = async (store: Store, peers: Peers, cursor: string | null) => {
  const docs = await sealedOnes(store, cursor).limit(LIMITS.resealedAtOnce).lean<Sealed[]>()
  const answers = await sealedAnew(peers, docs)
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
