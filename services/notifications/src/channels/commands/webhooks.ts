import { randomBytes } from 'node:crypto'
import {
  authInternal,
  type BodyOf,
  keysInternal,
  LIMITS,
  type notificationsInternal,
  type ResponseOf,
  rankOfTlp,
  type SealedCount,
} from '@iodine/contracts'
import { byId, inTransaction, type KindSpec, notFound, sealedWith } from '@iodine/service-kit'
import { type ClientSession, Types } from 'mongoose'
import type { Store } from '../../models.js'
import type { DeliveryDoc } from '../models/delivery.js'
import type { PersonDoc, WebhookDoc } from '../models/person.js'

/** Prefix of secrets, and their bytes. Source: Standard Webhooks 1.0.0. */
const SECRET_PREFIX = 'whsec_'
const SECRET_BYTES = 32
const MINUTE_MS = 60_000
/** Delays after failed attempts: 24 hours in total. */
const DELAYS_MS = [5, 60, 6 * 60, 24 * 60 - 425].map(minutes => minutes * MINUTE_MS)
/** Interval at which a pending job is added again; without effect while the job exists. */
const REQUEUE_MS = 15_000

/**
 * Sets the webhook of a user and creates its secret, which auth seals: this service cannot read it. Pending deliveries
 * to a previous URL are removed. Throws 503 while auth is down.
 * @returns the secret, which cannot be shown again
 */
export const setWebhook = async (
  { models: { mongo, people, deliveries }, peers }: Store,
  userId: string,
  url: string,
): Promise<{ webhook: WebhookDoc; secret: string }> => {
  const secret = SECRET_PREFIX + randomBytes(SECRET_BYTES).toString('base64')
  const { sealed } = await peers.call('auth', authInternal.sealFeedSecret, {
    body: { id: userId, url, secret },
  })
  const webhook: WebhookDoc = { url, sealed, enabled: true, failures: 0, last: null, created_at: new Date() }
  const _id = new Types.ObjectId(userId)
  await inTransaction(
    mongo,
    async session => {
      await deliveries.deleteMany({ user_id: _id }, { session })
      await people.updateOne({ _id }, { $set: { webhook } }, { upsert: true, session })
    },
    { retriesDuplicates: true },
  )
  return { webhook, secret }
}

/** Removes the webhook of a user with its pending deliveries. Idempotent. */
export const removeWebhook = async (
  { models: { mongo, people, deliveries } }: Store,
  userId: string,
): Promise<void> => {
  const _id = new Types.ObjectId(userId)
  await inTransaction(mongo, async session => {
    await people.updateOne({ _id }, { $unset: { webhook: 1 } }, { session })
    await deliveries.deleteMany({ user_id: _id }, { session })
  })
}

/** Enqueues one attempt to deliver a test. Throws 404 without an enabled webhook. */
export const testWebhook = async (
  { models: { mongo, people, deliveries }, work }: Store,
  userId: string,
): Promise<void> => {
  const user_id = new Types.ObjectId(userId)
  const now = new Date()
  await inTransaction(mongo, async session => {
    if (!(await people.exists({ _id: user_id, 'webhook.enabled': true }).session(session))) throw notFound()
    const payload = JSON.stringify({ type: 'notification.test', timestamp: now.toISOString(), data: {} })
    const tries = LIMITS.webhookTries - 1
    await deliveries.create([{ user_id, payload, tries, next_at: now, created_at: now }], { session })
    await work.webhooks.add({ id: userId }, { session })
  })
}

/**
 * Creates the outbox kind that enqueues the deliveries of a user, one at a time: a webhook that does not answer takes
 * one slot of the workers. The key is the user.
 */
export const webhooksWork = (of: () => Store): KindSpec<{ id: string }> => ({
  ...byId,
  concurrency: 4,
  async handle([user]) {
    if (!user) return
    const { models, queues } = of()
    const next = await models.deliveries
      .findOne({ user_id: user.id })
      .sort({ next_at: 1 })
      .lean<DeliveryDoc>()
    if (!next) return
    const left = next.next_at.getTime() - Date.now()
    if (left > 0) return left
    const delivery_id = next._id.toHexString()
    await queues.add(
      'webhooks',
      { delivery_id },
      { jobId: `${delivery_id}-${next.tries}`, removeOnComplete: true, removeOnFail: true },
    )
    return REQUEUE_MS
  },
})

/** Returns a pending delivery with the address and the sealed secret. Throws 404. */
export const findDelivery = async (
  { models: { deliveries, people } }: Store,
  id: string,
): Promise<ResponseOf<typeof notificationsInternal.getDelivery>> => {
  const doc = await deliveries.findById(id).lean<DeliveryDoc>()
  const person = doc && (await people.findById(doc.user_id).lean<PersonDoc>())
  if (!doc || !person?.webhook?.enabled) throw notFound()
  const { url, sealed } = person.webhook
  return { id, user_id: doc.user_id.toHexString(), url, sealed, payload: doc.payload }
}

/** Disables the webhook of a user and notifies them. */
const disable = async (
  { models: { people, deliveries, notifications } }: Store,
  user_id: Types.ObjectId,
  session: ClientSession,
): Promise<void> => {
  await people.updateOne({ _id: user_id }, { $set: { 'webhook.enabled': false } }, { session })
  await deliveries.deleteMany({ user_id }, { session })
  const now = new Date()
  await notifications.create(
    [
      {
        user_id,
        kind: 'webhook_off',
        subject_kind: 'webhook',
        tlp: rankOfTlp('clear'),
        channels: ['mail', 'feed'],
        first_at: now,
        created_at: now,
        count: 1,
      },
    ],
    { session },
  )
}

/**
 * Records the result of an attempt. A failed delivery is retried over a day; after too many failures in a row the webhook
 * is disabled. Without effect for a completed delivery.
 */
export const finishDelivery = async (
  store: Store,
  id: string,
  { error }: BodyOf<typeof notificationsInternal.finishDelivery>,
): Promise<void> => {
  const { models, work } = store
  const { mongo, deliveries, people } = models
  await inTransaction(mongo, async session => {
    const doc = await deliveries.findById(id).session(session).lean<DeliveryDoc>()
    if (!doc) return
    const { _id, user_id, tries } = doc
    const now = new Date()
    const delay = DELAYS_MS[tries]
    if (error === null || delay === undefined) await deliveries.deleteOne({ _id }, { session })
    else
      await deliveries.updateOne(
        { _id },
        { $inc: { tries: 1 }, $set: { next_at: new Date(now.getTime() + delay) } },
        { session },
      )
    const last = { 'webhook.last': { at: now, error } }
    const person = await people
      .findOneAndUpdate(
        { _id: user_id, webhook: { $exists: true } },
        error === null
          ? { $set: { ...last, 'webhook.failures': 0 } }
          : { $set: last, $inc: { 'webhook.failures': 1 } },
        { session, returnDocument: 'after' },
      )
      .lean<PersonDoc>()
    const { enabled = false, failures = 0 } = person?.webhook ?? {}
    if (enabled && failures >= LIMITS.webhookFailuresMax) await disable(store, user_id, session)
    await work.webhooks.add({ id: user_id.toHexString() }, { session })
  })
}

type Sealed = Pick<PersonDoc, '_id'> & { webhook: WebhookDoc }

const sealedPeople = ({ models: { people } }: Store, after: string | null) =>
  people
    .find({
      'webhook.sealed': { $exists: true },
      ...(after !== null && { _id: { $gt: new Types.ObjectId(after) } }),
    })
    .select('webhook')
    .sort({ _id: 1 })

/** Counts the secrets by the key that seals them. */
export const countSealed = async (store: Store): Promise<SealedCount[]> => {
  const counts = new Map<string, number>()
  for await (const { webhook } of sealedPeople(store, null).lean<Sealed>().cursor()) {
    const key = sealedWith(webhook.sealed)
    if (key !== undefined) counts.set(key, (counts.get(key) ?? 0) + 1)
  }
  return [...counts].map(([key, count]) => ({ kind: 'webhook_secrets' as const, key, count }))
}

/**
 * Reseals a batch of secrets at auth with its current key. A webhook that is changed meanwhile remains as it is.
 * Idempotent. Throws 503 while auth is down.
 * @param cursor end of the previous batch; null begins
 */
export const resealSecrets = async (store: Store, cursor: string | null) => {
  const docs = await sealedPeople(store, cursor).limit(LIMITS.resealedAtOnce).lean<Sealed[]>()
  const values = docs.map(({ _id, webhook: { url, sealed } }) => ({ id: _id.toHexString(), url, sealed }))
  const answers = await store.peers.call('auth', keysInternal.resealFeedSecrets, { body: { values } })
  let resealed = 0
  for (const [n, { _id, webhook }] of docs.entries()) {
    const sealed = answers[n]
    if (typeof sealed !== 'string' || sealed === webhook.sealed) continue
    const same = { _id, 'webhook.sealed': webhook.sealed }
    const changed = await store.models.people.updateOne(same, { $set: { 'webhook.sealed': sealed } })
    resealed += changed.modifiedCount
  }
  const last = docs.length === LIMITS.resealedAtOnce ? docs.at(-1) : undefined
  return {
    resealed,
    unreadable: answers.filter(answer => answer === null).length,
    cursor: last?._id.toHexString() ?? null,
  }
}
