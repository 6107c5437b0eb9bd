import type { MailJob } from '@iodine/contracts'
import { type KindSpec, seal } from '@iodine/service-kit'
import type { ClientSession } from 'mongoose'
import type { AuthContext } from '../context.js'
import { type OutgoingMail, outgoingMail } from '../models/mail.js'

/** Short, so that mails leave soon after the mail server recovers. */
const RETRY_MS = 3_000
/** Time that the workers have before the job is added again. Adding an existing job has no effect. */
const RECHECK_MS = 15_000

/** Work of the outbox: enqueues a mail for the workers until they report that a mail server has accepted or refused it. */
export const outgoingMails = (of: () => AuthContext): KindSpec<OutgoingMail> => ({
  payload: outgoingMail,
  keyOf: ({ id }) => id,
  concurrency: 4,
  backoffMaxMs: RETRY_MS,
  async handle([mail]) {
    const left = (mail?.expires_at ?? 0) - Date.now()
    if (!mail || left <= 0) return
    const { id, sealed, created_at } = mail
    await of().service.queues.add(
      'mail',
      { sealed },
      {
        jobId: id,
        // The mail's Message-ID derives from the timestamp, so a job that is added again sends the same mail.
        timestamp: created_at,
        // Retries until the mail expires.
        attempts: Math.max(1, Math.ceil(left / RETRY_MS)),
        backoff: { type: 'fixed', delay: RETRY_MS },
        removeOnComplete: true,
        removeOnFail: true,
      },
    )
    return Math.min(RECHECK_MS, left)
  },
})

/**
 * Has a mail sent as soon as a mail server accepts it, until it expires. One that waits already is sent once.
 * @param session transaction after whose commit it is sent
 */
export const sendMail = (
  { config, mails }: AuthContext,
  id: string,
  mail: MailJob,
  expires_at: Date,
  session?: ClientSession,
): Promise<void> =>
  mails.add(
    {
      id,
      sealed: seal(config.SECRETS_KEY, 'mail', JSON.stringify(mail)),
      created_at: Date.now(),
      expires_at: expires_at.getTime(),
    },
    { session },
  )

/** Removes a mail that a mail server accepted or refused permanently. */
export const settleMail = ({ mails }: AuthContext, id: string): Promise<void> => mails.complete(id)
