import { LIMITS, type MailedNotification, mailsInternal } from '@iodine/contracts'
import { byId, inTransaction, type KindSpec, PEER_BACKOFF_MAX_MS } from '@iodine/service-kit'
import { Types } from 'mongoose'
import type { Store } from '../../models.js'
import type { NotificationDoc } from '../../notifications/models/notification.js'
import type { PersonDoc } from '../models/person.js'
import { nextDigest } from '../policies/digest-time.js'
import { pageOf, sentenceOf } from '../policies/summary.js'

/** Minimum time between two mails to a user. */
const PAUSE_MS = 5 * 60_000
/** Digests that one run of the task enqueues. */
const DIGESTS_AT_ONCE = 1_000

const mailed = (doc: NotificationDoc): MailedNotification => ({ text: sentenceOf(doc), path: pageOf(doc) })

/**
 * Mails the unread notifications since the last mail to a user. The end of the period is stored before auth receives the
 * mail: a repeated run sends the same mail, which auth sends once while it is pending.
 */
const sendMail = async ({ models, peers }: Store, user: Types.ObjectId): Promise<number | undefined> => {
  const { people, notifications } = models
  const now = new Date()
  const person = await people.findById(user).lean<PersonDoc>()
  if (!person || (person.mail ?? 'off') === 'off') return
  if (!person.mailing && person.mail === 'at_once') {
    const left = (person.sent_at?.getTime() ?? 0) + PAUSE_MS - now.getTime()
    if (left > 0) return left
  }
  const since = person.mailed_at ?? now
  const until = person.mailing ?? now
  await people.updateOne({ _id: user, mailing: { $exists: false } }, { $set: { mailing: until } })
  const filter = {
    user_id: user,
    read_at: null,
    channels: 'mail',
    created_at: { $gt: since, $lte: until },
  } as const
  const docs = await notifications
    .find(filter)
    .sort({ created_at: -1, _id: -1 })
    .limit(LIMITS.mailedNotifications)
    .lean<NotificationDoc[]>()
  if (docs.length > 0) {
    const total = await notifications.countDocuments(filter)
    const id = user.toHexString()
    await peers.call('auth', mailsInternal.mailNotifications, {
      body: {
        id: `notifications.${id}.${until.getTime()}`,
        user_id: id,
        items: docs.map(mailed),
        more: total - docs.length,
        unsubscribe: person.unsubscribe ?? '',
      },
    })
  }
  await people.updateOne(
    { _id: user, mailing: until },
    { $set: { mailed_at: until, ...(docs.length > 0 && { sent_at: until }) }, $unset: { mailing: 1 } },
  )
  return undefined
}

/** Creates the outbox kind that mails notifications. The key is the user. */
export const mailsWork = (of: () => Store): KindSpec<{ id: string }> => ({
  ...byId,
  concurrency: 4,
  backoffMaxMs: PEER_BACKOFF_MAX_MS,
  handle: async ([user]) => user && sendMail(of(), new Types.ObjectId(user.id)),
})

/** Enqueues the digests that are due, with the time of the next one in the same transaction. */
export const enqueueDigests = async ({ models: { mongo, people }, work }: Store): Promise<void> => {
  const now = new Date()
  const due = await people
    .find({ digest_at: { $lte: now } })
    .limit(DIGESTS_AT_ONCE)
    .lean<PersonDoc[]>()
  for (const { _id, mail = 'off', time_zone = 'UTC', digest_at } of due)
    await inTransaction(mongo, async session => {
      const next = nextDigest(mail, time_zone, now)
      const change = next ? { $set: { digest_at: next } } : { $unset: { digest_at: 1 } }
      const { matchedCount } = await people.updateOne({ _id, digest_at }, change, { session })
      if (matchedCount > 0) await work.mails.add({ id: _id.toHexString() }, { session })
    })
}
