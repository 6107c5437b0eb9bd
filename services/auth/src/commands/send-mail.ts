import type { MailJob } from '@iodine/contracts'
import { seal } from '@iodine/service-kit'
import type { AuthContext } from '../context.js'
import type { MailDoc } from '../models/mail.js'

/** Soon after the mail server is back. */
const RETRY_MS = 3_000
/** How long the workers have before the repair adds the job again, which a job that is there does not mind. */
const RECHECK_MS = 15_000
const REPAIR_BATCH = 100

const addJob = ({ service }: AuthContext, { _id, sealed, created_at, expires_at }: MailDoc) =>
  service.queues.add(
    'mail',
    { sealed },
    {
      jobId: _id,
      // The mail's Message-ID is made from it: a job that Redis lost and the repair added again sends the same mail.
      timestamp: created_at.getTime(),
      // For as long as the mail is good for anything.
      attempts: Math.max(1, Math.ceil((expires_at.getTime() - Date.now()) / RETRY_MS)),
      backoff: { type: 'fixed', delay: RETRY_MS },
      removeOnComplete: true,
      removeOnFail: true,
    },
  )

/** Sends a mail as soon as a mail server takes it, at most until it expires. Rejects while Redis is down. */
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

/** Forgets a mail that a mail server took, or refused for good. */
export const settleMail = async ({ models }: AuthContext, id: string): Promise<void> => {
  await models.mails.deleteOne({ _id: id })
}

/** Adds the jobs of mails again that are still owed: Redis may have lost them. Returns how many. */
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
