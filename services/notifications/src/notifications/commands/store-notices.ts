import { LIMITS } from '@iodine/contracts'
import { inTransaction, type KindSpec } from '@iodine/service-kit'
import { type ClientSession, Types } from 'mongoose'
import type { PersonDoc } from '../../channels/models/person.js'
import type { Store } from '../../models.js'
import type { NotificationDoc } from '../models/notification.js'
import { foldOf, type Notice, type NoticeBatch, noticeBatch } from '../policies/notices.js'
import { presentNotification } from '../presenters/notification.js'

/** Delay of a mail, so that one mail contains the notifications of an import. */
const MAIL_DELAY_MS = 5_000

const idOf = (text: string | null) => (text === null ? null : new Types.ObjectId(text))

/** Counts the notices in their notifications of the last hour, or creates these. Returns the created ones. */
const writeNotices = async (
  { models: { notifications } }: Store,
  notices: readonly Notice[],
  session: ClientSession,
): Promise<NotificationDoc[]> => {
  const now = new Date()
  const folds = notices.map(foldOf)
  const hourAgo = new Date(now.getTime() - LIMITS.notificationFoldMs)
  await notifications.updateMany(
    { fold: { $in: folds }, first_at: { $lte: hourAgo } },
    { $unset: { fold: 1 } },
    { session },
  )
  const open = await notifications
    .find({ fold: { $in: folds } }, { fold: 1 })
    .session(session)
    .lean<Pick<NotificationDoc, 'fold'>[]>()
  const known = new Set(open.map(({ fold }) => fold))
  const writes = notices.map(
    ({ user_id, watch_id, kind, subject_kind, subject_id, channels, ...latest }, n) => ({
      updateOne: {
        filter: { fold: folds[n] },
        update: {
          $inc: { count: latest.count },
          $max: { tlp: latest.tlp },
          $set: {
            title: latest.title,
            comment_id: idOf(latest.comment_id),
            actor: idOf(latest.actor),
            ...latest.votes,
            created_at: now,
            read_at: null,
          },
          $setOnInsert: {
            user_id: idOf(user_id),
            watch_id: idOf(watch_id),
            kind,
            subject_kind,
            subject_id: idOf(subject_id),
            channels,
            first_at: now,
          },
        },
        upsert: true,
      },
    }),
  )
  // The driver writes: Mongoose would cast each operation.
  await notifications.collection.bulkWrite(writes as never, { session, ordered: false })
  const created = folds.filter(fold => !known.has(fold))
  return notifications
    .find({ fold: { $in: created } })
    .session(session)
    .lean<NotificationDoc[]>()
}

/** Enqueues the mails and the webhook deliveries of new notifications. */
const enqueueChannels = async (
  store: Store,
  created: readonly NotificationDoc[],
  names: Map<string, string>,
  session: ClientSession,
): Promise<void> => {
  const { models, work } = store
  const users = [...new Map(created.map(({ user_id }) => [user_id.toHexString(), user_id])).values()]
  const people = await models.people
    .find({ _id: { $in: users }, $or: [{ mail: 'at_once' }, { 'webhook.enabled': true }] })
    .session(session)
    .lean<PersonDoc[]>()
  for (const { _id, mail, webhook } of people) {
    const id = _id.toHexString()
    const own = created.filter(({ user_id }) => user_id.equals(_id))
    if (mail === 'at_once' && own.some(({ channels }) => channels.includes('mail')))
      await work.mails.add({ id }, { dueIn: MAIL_DELAY_MS, session })
    const delivered = own.filter(({ channels }) => channels.includes('webhook'))
    if (!webhook?.enabled || delivered.length === 0) continue
    const pending = await models.deliveries.countDocuments({ user_id: _id }).session(session)
    const now = new Date()
    const docs = delivered.slice(0, Math.max(0, LIMITS.webhookDeliveries - pending)).map(doc => ({
      user_id: _id,
      watch_id: doc.watch_id,
      payload: JSON.stringify({
        type: 'notification.created',
        timestamp: doc.created_at.toISOString(),
        data: presentNotification(doc, names, 'green'),
      }),
      tries: 0,
      next_at: now,
      created_at: now,
    }))
    await models.deliveries.insertMany(docs, { session })
    await work.webhooks.add({ id }, { session })
  }
}

/** Deletes the oldest notifications above the limit of a user. */
const trim = async ({ models: { notifications } }: Store, user_id: Types.ObjectId): Promise<void> => {
  const last = await notifications
    .findOne({ user_id }, { created_at: 1 })
    .sort({ created_at: -1, _id: -1 })
    .skip(LIMITS.notificationsKept)
    .lean<Pick<NotificationDoc, 'created_at'>>()
  if (last) await notifications.deleteMany({ user_id, created_at: { $lte: last.created_at } })
}

/**
 * Creates the outbox kind that stores notifications and enqueues their mails and webhook deliveries. The receipt of the
 * batch is stored in the same transaction, so that a repeated run counts nothing twice.
 */
export const noticesWork = (of: () => Store): KindSpec<NoticeBatch> => ({
  payload: noticeBatch,
  concurrency: 2,
  async handle([batch]) {
    if (!batch) return
    const store = of()
    const { mongo, receipts } = store.models
    const _id = `batch ${batch.id}`
    const actors = batch.notices.flatMap(({ actor }) => actor ?? [])
    const names = await store.users.usernames(actors)
    const created = await inTransaction(
      mongo,
      async session => {
        if (await receipts.exists({ _id }).session(session)) return []
        await receipts.create([{ _id, at: new Date() }], { session })
        const stored = await writeNotices(store, batch.notices, session)
        await enqueueChannels(store, stored, names, session)
        return stored
      },
      { retriesDuplicates: true },
    )
    for (const user of new Map(created.map(({ user_id }) => [user_id.toHexString(), user_id])).values())
      await trim(store, user)
  },
})
