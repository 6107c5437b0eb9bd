import { keysInternal, LIMITS, type SealedCount } from '@iodine/contracts'
import { type Peers, sealedWith } from '@iodine/service-kit'
import type { Store } from '../models/index.js'
import type { SubscriptionDoc } from '../models/subscription.js'

type Sealed = Pick<SubscriptionDoc, '_id' | 'url'> & { sealed: string }

const sealedOnes = ({ subscriptions }: Store, after: string | null) =>
  subscriptions
    .find({ sealed: { $type: 'string' }, ...(after !== null && { _id: { $gt: after } }) })
    .select('+sealed url')
    .sort({ _id: 1 })

/** Has auth seal some secrets with its present key: null where no key opens one. Throws 503 while auth is down. */
const sealedAnew = async (peers: Peers, docs: readonly Sealed[]): Promise<(string | null)[]> => {
  const answers: (string | null)[] = []
  for (let at = 0; at < docs.length; at += LIMITS.resealedAtOnce) {
    const values = docs
      .slice(at, at + LIMITS.resealedAtOnce)
      .map(({ _id, url, sealed }) => ({ id: _id.toHexString(), url, sealed }))
    answers.push(...(await peers.call('auth', keysInternal.resealFeedSecrets, { body: { values } })))
  }
  return answers
}

/** Numbers of subscriptions' secrets by the key that seals them. Throws 503 while auth is down. */
export const countSealed = async (store: Store, peers: Peers): Promise<SealedCount[]> => {
  const counts = new Map<string | null, number>()
  const unnamed: Sealed[] = []
  for (const doc of await sealedOnes(store, null).lean<Sealed[]>()) {
    const key = sealedWith(doc.sealed)
    if (key === undefined) unnamed.push(doc)
    else counts.set(key, (counts.get(key) ?? 0) + 1)
  }
  const closed = (await sealedAnew(peers, unnamed)).filter(answer => answer === null).length
  return [
    ...[...counts].map(([key, count]) => ({ kind: 'feed_secrets' as const, key, readable: true, count })),
    { kind: 'feed_secrets' as const, key: null, readable: true, count: unnamed.length - closed },
    { kind: 'feed_secrets' as const, key: null, readable: false, count: closed },
  ].filter(({ count }) => count > 0)
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
