import type { BodyOf, NotificationEvent, notificationsInternal, SightingRecord } from '@iodine/contracts'
import { inTransaction, type Kind } from '@iodine/service-kit'
import { Types } from 'mongoose'
import type { Models } from '../../models.js'
import type { WatchDoc } from '../../watches/models/watch.js'
import { matchingIod, matchingRecord } from '../../watches/policies/matches.js'
import { keysOfIod, keysOfRecord } from '../../watches/policies/watch-keys.js'
import { findCandidates } from '../../watches/queries/candidates.js'
import type { SignText } from '../../watches/queries/sign-texts.js'
import {
  aboutEvent,
  directNotice,
  joinNotices,
  type Notice,
  noticeOfWatch,
  recordNotice,
} from '../policies/notices.js'
import type { NoticeBatch } from './store-notices.js'

/** Notices of an outbox entry. */
const BATCH = 200

interface ReceiveContext {
  models: Models
  signText: SignText
  notices: Kind<NoticeBatch>
}

/** Returns the identity of an event: a repeated delivery has the same. */
const receiptOf = (event: NotificationEvent): string => {
  switch (event.type) {
    case 'iod.voted':
      return `iod.voted ${event.id} ${event.positive + event.negative}`
    case 'campaign.changed':
      return `campaign.changed ${event.id} ${event.at}`
    default:
      return `${event.type} ${event.id}`
  }
}

/** Returns the receipts that are not stored yet. */
const unknownOf = async ({ receipts }: Models, ids: readonly string[]): Promise<Set<string>> => {
  const docs = await receipts.find({ _id: { $in: [...ids] } }, { _id: 1 }).lean<{ _id: string }[]>()
  const known = new Set(docs.map(({ _id }) => _id))
  return new Set(ids.filter(id => !known.has(id)))
}

/**
 * Stores receipts and the notices of their events in one transaction, so that each event notifies once. A concurrent
 * delivery of the same events fails with a duplicate key, and its retry finds the receipts.
 */
const accept = async (
  { models: { mongo, receipts }, notices }: ReceiveContext,
  fresh: ReadonlySet<string>,
  found: readonly Notice[],
): Promise<void> => {
  const at = new Date()
  const joined = joinNotices(found)
  await inTransaction(mongo, async session => {
    await receipts.collection.insertMany(Array.from(fresh, _id => ({ _id, at })) as never, { session })
    for (let from = 0; from < joined.length; from += BATCH)
      await notices.add(
        { id: new Types.ObjectId().toHexString(), notices: joined.slice(from, from + BATCH) },
        { session },
      )
  })
}

/** Returns the users among these who have switched off notifications of replies and mentions. */
const silentOf = async ({ people }: Models, ids: readonly string[]): Promise<Set<string>> => {
  if (ids.length === 0) return new Set()
  const docs = await people
    .find({ _id: { $in: ids.map(id => new Types.ObjectId(id)) }, replies: false }, { _id: 1 })
    .lean<{ _id: Types.ObjectId }[]>()
  return new Set(docs.map(({ _id }) => _id.toHexString()))
}

/** Returns the watches that an event matches. */
const watchesOf = async ({ models }: ReceiveContext, event: NotificationEvent): Promise<WatchDoc[]> => {
  switch (event.type) {
    case 'iod.created':
      return matchingIod(event, await findCandidates(models, keysOfIod(event)))
    case 'iod.voted':
      return findCandidates(models, [`iod:${event.id}`])
    case 'comment.created':
      return findCandidates(models, [`${event.subject.kind}:${event.subject.id}`, `person:${event.user_id}`])
    case 'campaign.changed':
      return findCandidates(models, [`campaign:${event.id}`])
  }
}

/**
 * Returns the notices of an event. A user is not notified of their own action. A mention precedes a reply, and both
 * precede a watch of the same subject.
 */
const noticesOf = async (context: ReceiveContext, event: NotificationEvent): Promise<Notice[]> => {
  const about = aboutEvent(event)
  const direct = new Map<string, 'reply' | 'mention'>()
  if (event.type === 'comment.created') {
    if (event.replied_to) direct.set(event.replied_to, 'reply')
    for (const id of event.mentions) direct.set(id, 'mention')
    for (const id of await silentOf(context.models, [...direct.keys()])) direct.delete(id)
  }
  const watched = (await watchesOf(context, event)).filter(
    ({ user_id }) => !direct.has(user_id.toHexString()),
  )
  return [
    ...Array.from(direct, ([id, kind]) => directNotice(kind, id, about)),
    ...watched.map(watch => noticeOfWatch(watch, about)),
  ].filter(({ user_id }) => user_id !== about.actor)
}

/** Enqueues the notifications of events, once for each event. */
export const receiveEvents = async (
  context: ReceiveContext,
  events: readonly NotificationEvent[],
): Promise<void> => {
  const fresh = await unknownOf(context.models, events.map(receiptOf))
  if (fresh.size === 0) return
  const left = new Set(fresh)
  const found: Notice[] = []
  for (const event of events)
    if (left.delete(receiptOf(event))) found.push(...(await noticesOf(context, event)))
  await accept(context, fresh, found)
}

type Records = BodyOf<typeof notificationsInternal.receiveRecords>

/** Returns the receipts of a record: that its owner knows it, and, once it is shared, that others do. */
const receiptsOf = ({ id, shared }: SightingRecord): { own: string; shared?: string } => ({
  own: `record ${id}`,
  ...(shared && { shared: `shared ${id}` }),
})

/**
 * Enqueues the notifications of a user's new records, and of records that became shared: of an unshared record only for
 * its owner, of a shared one also for others. An anonymous sharer is not named.
 */
export const receiveRecords = async (
  context: ReceiveContext,
  { user_id, records }: Records,
): Promise<void> => {
  const { models, signText } = context
  const ids = records.flatMap(record => Object.values(receiptsOf(record)))
  const fresh = await unknownOf(models, ids)
  if (fresh.size === 0) return
  const owner = new Types.ObjectId(user_id)
  const found: Notice[] = []
  for (const record of records) {
    const receipts = receiptsOf(record)
    const [isNew, isShared] = [
      fresh.has(receipts.own),
      receipts.shared !== undefined && fresh.has(receipts.shared),
    ]
    if (!isNew && !isShared) continue
    const scope = isShared ? (isNew ? {} : { user_id: { $ne: owner } }) : { user_id: owner }
    const signature = await signText(record.text)
    const candidates = await findCandidates(models, keysOfRecord(record, signature), scope)
    const sharer = record.shared === 'username' ? user_id : null
    for (const watch of matchingRecord(record, signature, candidates))
      found.push(recordNotice(watch, watch.user_id.equals(owner) ? null : sharer))
    // Yields to the event loop: a signature takes up to some milliseconds.
    await new Promise(setImmediate)
  }
  await accept(context, fresh, found)
}
