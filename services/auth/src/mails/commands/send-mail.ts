import type { MailJob } from '@iodine/contracts'
import { type KindSpec, seal } from '@iodine/service-kit'
import type { ClientSession } from 'mongoose'
import type { AuthContext } from '../../context.js'
import { type OutgoingMail, outgoingMail } from '../models/mail.js'

/** Short, so that mails leave soon after the mail server recovers. */
const RETRY_MS = 3_000
/** Milliseconds until the job is added again; without effect while the job exists. */
const REQUEUE_MS = 15_000

/** Creates the outbox kind that enqueues a mail for the workers until they report its acceptance or refusal. */
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
    return Math.min(REQUEUE_MS, left)
  },
})

/**
 * Sends a mail as soon as a mail server accepts it, until it expires. A pending mail with the same id is sent once.
 * @param session transaction after whose commit the mail is sent
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
export const completeMail = ({ mails }: AuthContext, id: string): Promise<void> => mails.complete(id)
