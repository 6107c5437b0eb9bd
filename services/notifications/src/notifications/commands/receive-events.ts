import {
  type BodyOf,
  type NotificationEvent,
  type notificationsInternal,
  type SightingRecord,
  WATCHED_TEXTS,
} from '@iodine/contracts'
import { hashOf, inTransaction, type Kind } from '@iodine/service-kit'
import { type ClientSession, Types } from 'mongoose'
import type { Models } from '../../models.js'
import type { SignText, WatchDoc } from '../../watches/models/watch.js'
import { matchingIod, matchingRecord } from '../../watches/policies/matches.js'
import { keysOfIod, keysOfRecord } from '../../watches/policies/watch-keys.js'
import { findCandidates } from '../../watches/queries/candidates.js'
import {
  aboutEvent,
  directNotice,
  joinNotices,
  type Notice,
  type NoticeBatch,
  noticeOfWatch,
  recordNotice,
} from '../policies/notices.js'

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
      // Hashed, since it remains after the account.
      return `campaign.changed ${hashOf(`${event.id} ${event.at} ${event.user_id}`)}`
    case 'report.quoted':
      return `report.quoted ${hashOf(`${event.id} ${event.until} ${event.quoted}`)}`
    default:
      return `${event.type} ${event.id}`
  }
}

/** Returns the receipts that are not stored yet. */
const unknownOf = async (
  { receipts }: Models,
  ids: Iterable<string>,
  session: ClientSession | null = null,
): Promise<Set<string>> => {
  const fresh = new Set(ids)
  const docs = await receipts
    .find({ _id: { $in: [...fresh] } }, { _id: 1 })
    .session(session)
    .lean<{ _id: string }[]>()
  for (const { _id } of docs) fresh.delete(_id)
  return fresh
}

/**
 * Stores receipts with the notices of their events in one transaction, so that each event notifies once. Of concurrent
 * deliveries of an event, all but one find its receipt.
 */
const accept = async (
  { models, notices }: ReceiveContext,
  found: ReadonlyMap<string, readonly Notice[]>,
): Promise<void> => {
  const { mongo, receipts } = models
  if (found.size === 0) return
  const at = new Date()
  await inTransaction(
    mongo,
    async session => {
      const fresh = [...(await unknownOf(models, found.keys(), session))]
      if (fresh.length === 0) return
      await receipts.collection.insertMany(fresh.map(_id => ({ _id, at })) as never, { session })
      const joined = joinNotices(fresh.flatMap(id => found.get(id) ?? []))
      for (let from = 0; from < joined.length; from += BATCH)
        await notices.add(
          { id: new Types.ObjectId().toHexString(), notices: joined.slice(from, from + BATCH) },
          { session },
        )
    },
    { retriesDuplicates: true },
  )
}

/** Returns the users among these who have switched off notifications of replies and mentions. */
const silentOf = async ({ people }: Models, ids: readonly string[]): Promise<Set<string>> => {
  if (ids.length === 0) return new Set()
  const docs = await people
    .find({ _id: { $in: ids.map(id => new Types.ObjectId(id)) }, replies: false }, { _id: 1 })
    .lean<{ _id: Types.ObjectId }[]>()
  return new Set(docs.map(({ _id }) => _id.toHexString()))
}

/** Returns the keys of the watches that an event may match. */
const keysOfEvent = (event: NotificationEvent): string[] => {
  switch (event.type) {
    case 'iod.created':
      return keysOfIod(event)
    case 'iod.voted':
      return [`iod:${event.id}`]
    case 'comment.created':
      return [`${event.subject.kind}:${event.subject.id}`, `person:${event.user_id}`]
    case 'report.quoted':
      return []
    case 'campaign.changed':
      return [`campaign:${event.id}`]
  }
}

/** Reads the watches of events. Returns a function of an event to those that it matches. */
const createMatcher = async ({ models }: ReceiveContext, events: readonly NotificationEvent[]) => {
  const byKey = new Map<string, WatchDoc[]>()
  const keys = [...new Set(events.flatMap(keysOfEvent))]
  for (const watch of await findCandidates(models, keys, { withKeys: true }))
    for (const key of watch.keys) {
      const same = byKey.get(key)
      if (same) same.push(watch)
      else byKey.set(key, [watch])
    }
  return (event: NotificationEvent): WatchDoc[] => {
    const candidates = [...new Set(keysOfEvent(event).flatMap(key => byKey.get(key) ?? []))]
    return event.type === 'iod.created' ? matchingIod(event, candidates) : candidates
  }
}

/**
 * Returns the notices of an event. A user is not notified of their own action. A mention precedes a reply, and both
 * precede a watch of the same subject.
 */
const noticesOf = async (
  { models }: ReceiveContext,
  event: NotificationEvent,
  watches: readonly WatchDoc[],
): Promise<Notice[]> => {
  const about = aboutEvent(event)
  const direct = new Map<string, 'reply' | 'mention' | 'quoted'>()
  if (event.type === 'report.quoted') direct.set(event.quoted, 'quoted')
  if (event.type === 'comment.created') {
    if (event.replied_to) direct.set(event.replied_to, 'reply')
    for (const id of event.mentions) direct.set(id, 'mention')
    for (const id of await silentOf(models, [...direct.keys()])) direct.delete(id)
  }
  const watched = watches.filter(({ user_id }) => !direct.has(user_id.toHexString()))
  return [
    ...Array.from(direct, ([id, kind]) => directNotice(kind, id, about)),
    ...watched.map(watch => noticeOfWatch(watch, about)),
  ].filter(({ user_id }) => user_id !== about.actor)
}

/** Enqueues the notifications of events, once for each event. Events without any need no receipt. */
export const receiveEvents = async (
  context: ReceiveContext,
  events: readonly NotificationEvent[],
): Promise<void> => {
  const matches = await createMatcher(context, events)
  const found = new Map<string, Notice[]>()
  for (const event of events) {
    const notices = await noticesOf(context, event, matches(event))
    if (notices.length > 0) found.set(receiptOf(event), notices)
    // Yields to the event loop: thousands of watches may match.
    await new Promise(setImmediate)
  }
  await accept(context, found)
}

type Records = BodyOf<typeof notificationsInternal.receiveRecords>

/** Returns the receipts of a record: that its owner knows it, and, once it is shared, that others do. */
const receiptsOf = ({ id, shared }: SightingRecord): string[] => [
  `record ${id}`,
  ...(shared ? [`shared ${id}`] : []),
]

/**
 * Enqueues the notifications of a user's new records, and of records that became shared: of an unshared record only for
 * its owner, of a shared one also for others. An anonymous sharer is not named.
 */
export const receiveRecords = async (
  context: ReceiveContext,
  { user_id, records }: Records,
): Promise<void> => {
  const { models, signText } = context
  const fresh = await unknownOf(models, records.flatMap(receiptsOf))
  const owner = new Types.ObjectId(user_id)
  const isWatching = await models.watches.exists({
    user_id: owner,
    kind: { $in: WATCHED_TEXTS },
    paused: false,
  })
  const found = new Map<string, Notice[]>()
  for (const record of records) {
    const [own = '', shared] = receiptsOf(record)
    const [isNew, isShared] = [fresh.has(own), shared !== undefined && fresh.has(shared)]
    if (!isNew && !isShared) continue
    if (!isShared && !isWatching) {
      found.set(own, [])
      continue
    }
    const scope = isShared ? (isNew ? {} : { user_id: { $ne: owner } }) : { user_id: owner }
    const signature = await signText(record.text)
    const candidates = await findCandidates(models, keysOfRecord(record, signature), { scope })
    const sharer = record.shared === 'username' ? user_id : null
    const matching = matchingRecord(record, signature, candidates)
    const [owners, others] = [true, false].map(isOwner =>
      matching.filter(watch => watch.user_id.equals(owner) === isOwner),
    )
    if (isNew)
      found.set(
        own,
        (owners ?? []).map(watch => recordNotice(watch, null)),
      )
    if (isShared && shared)
      found.set(
        shared,
        (others ?? []).map(watch => recordNotice(watch, sharer)),
      )
    // Yields to the event loop: a signature takes up to some milliseconds.
    await new Promise(setImmediate)
  }
  await accept(context, found)
}
