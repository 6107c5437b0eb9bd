import type { MailJob } from '@iodine/contracts'
import { ignoreDuplicateKey, seal } from '@iodine/service-kit'
import type { AuthContext } from '../context.js'
import type { MailDoc } from '../models/mail.js'

/** Short, so that mails leave soon after the mail server recovers. */
const RETRY_MS = 3_000
/** Time that the workers have before the repair adds the job again. Adding an existing job has no effect. */
const RECHECK_MS = 15_000
const REPAIR_BATCH = 100

const addJob = ({ service }: AuthContext, { _id, sealed, created_at, expires_at }: MailDoc) =>
  service.queues.add(
    'mail',
    { sealed },
    {
      jobId: _id,
      // The mail's Message-ID derives from the timestamp, so a job added again by the repair sends the same
      // mail.
      timestamp: created_at.getTime(),
      // Retries until the mail expires.
      attempts: Math.max(1, Math.ceil((expires_at.getTime() - Date.now()) / RETRY_MS)),
      backoff: { type: 'fixed', delay: RETRY_MS },
      removeOnComplete: true,
      removeOnFail: true,
    },
  )

/** Sends a mail as soon as a mail server accepts it, until it expires. Rejects while Redis is down. */
export const sendMail = async (
  context: AuthContext,
  id: string,
  mail: MailJob,
  expires_at: Date,
): Promise<void> => {
  const created_at = new Date()
  const doc: MailDoc = {
    _id: id,
    sealed: seal(context.config.SECRETS_KEY, 'mail', JSON.stringify(mail)),
    created_at,
    expires_at,
    check_at: new Date(created_at.getTime() + RECHECK_MS),
  }
  await context.models.mails.create(doc)
  await addJob(context, doc)
}

/** Like `sendMail`; does nothing for a mail that waits to be sent already. */
export const sendMailOnce: typeof sendMail = (...mail) => sendMail(...mail).catch(ignoreDuplicateKey)

/** Deletes a mail that a mail server accepted or refused permanently. */
export const settleMail = async ({ models }: AuthContext, id: string): Promise<void> => {
  await models.mails.deleteOne({ _id: id })
}

/** Queues unsettled mails again, as Redis may have lost their jobs. Returns their number. */
export const repairMails = async (context: AuthContext): Promise<number> => {
  const { mails } = context.models
  const now = Date.now()
  const due = await mails
    .find({ check_at: { $lte: new Date(now) }, expires_at: { $gt: new Date(now) } })
    .sort({ check_at: 1 })
    .limit(REPAIR_BATCH)
    .lean<MailDoc[]>()
  for (const mail of due) {
    await mails.updateOne({ _id: mail._id }, { $set: { check_at: new Date(now + RECHECK_MS) } })
    await addJob(context, mail)
  }
  return due.length
}
