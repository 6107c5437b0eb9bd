import { setTimeout as sleep } from 'node:timers/promises'
import { accountsInternal, LIMITS, type MailJob, mailJob, mailsInternal } from '@iodine/contracts'
import {
  HttpError,
  type Job,
  type Peers,
  traced,
  UnknownKeyError,
  UnrecoverableError,
  unseal,
} from '@iodine/service-kit'
import { createTransport } from 'nodemailer'
import { presentMail } from '../mail/templates.js'
import { defineProcessor, postpone } from '../processor.js'

/** The mail server's decision: 250 (`taken`), or a permanent refusal of the address (`refused`). */
const OUTCOMES = ['taken', 'refused'] as const
type Outcome = (typeof OUTCOMES)[number]

/** Delay before the confirmation of a warning is retried. */
const CONFIRM_RETRY_MS = 3_000

/**
 * Returns whether the server rejects this recipient permanently: 5xx on RCPT TO. A rejection of the sender, of the
 * content or by policy (5.7.x: relaying, blocklists) does not concern the recipient and can be fixed.
 */
const isAddressRefused = (error: unknown): boolean => {
  const {
    code,
    command,
    responseCode = 0,
    response = '',
  } = error as { code?: string; command?: string; responseCode?: number; response?: string }
  return (
    code === 'EENVELOPE' && command === 'RCPT TO' && responseCode >= 500 && !/^\d{3}[ -]5\.7\./.test(response)
  )
}

/** Backoff before the completion of a mail is reported to auth again. */
const SETTLE_BACKOFF_MS = [0, 500, 2_000, 4_000]

/** Reports the completion of a mail to auth. If all calls fail, auth enqueues the mail again. */
const settle = async (peers: Peers, id: string): Promise<void> => {
  for (const pause of SETTLE_BACKOFF_MS) {
    await sleep(pause)
    try {
      await peers.call('auth', mailsInternal.completeMail, { params: { id } })
      return
    } catch {
      // The next call may succeed.
    }
  }
}

/** Confirms a warning to auth, retried without limit: an account is deleted only after its warning. */
const confirmWarning = async (
  peers: Peers,
  { user_id, last_active_at }: Extract<MailJob, { template: 'inactive-account' }>,
  outcome: Outcome,
  queued: Job,
): Promise<void> => {
  try {
    await peers.call('auth', accountsInternal.confirmWarning, {
      params: { id: user_id },
      body: { last_active_at, outcome },
    })
  } catch (error) {
    if (!(error instanceof HttpError)) throw error
    await postpone(queued, CONFIRM_RETRY_MS)
  }
}

/** Lifetime of the links in mails. A mail that arrives later would be useless. */
const LINK_MS: Partial<Record<MailJob['template'], number>> = {
  'magic-link': LIMITS.magicLinkMs,
  'confirm-deletion': LIMITS.deletionLinkMs,
  'confirm-old-address': LIMITS.addressChangeMs,
  'confirm-new-address': LIMITS.addressChangeMs,
}

/** Sends mails that other services have sealed. The queue retries when the SMTP server fails. */
export const mailProcessor = defineProcessor({
  queue: 'mail',
  concurrency: 4,
  async create({ config, service }) {
    const transport = createTransport({
      url: config.SMTP_URL,
      pool: true,
      maxConnections: 4,
      connectionTimeout: 10_000,
      greetingTimeout: 10_000,
      socketTimeout: 30_000,
      disableFileAccess: true,
      disableUrlAccess: true,
    })
    service.onClose(() => transport.close())
    const domain = /@([^@<>\s]+)>?\s*$/.exec(config.MAIL_FROM)?.[1] ?? 'localhost'
    /** Sends a mail. Throws where a retry may succeed. */
    const send = async (job: MailJob, queued: Job): Promise<Outcome> => {
      const { headers, ...content } = presentMail(job)
      try {
        // An address object: a string could be parsed as a list of addresses.
        await traced('smtp send', {}, () =>
          transport.sendMail({
            from: config.MAIL_FROM,
            // Stable across retries: when a worker dies after sending, mail clients show the duplicate once.
            messageId: `<${queued.id}.${queued.timestamp}@${domain}>`,
            to: { name: '', address: job.to },
            ...content,
            // Suppresses out-of-office replies (RFC 3834).
            headers: { 'Auto-Submitted': 'auto-generated', ...headers },
          }),
        )
        return 'taken'
      } catch (error) {
        if (isAddressRefused(error)) return 'refused'
        // The server's message may contain the address, which must not reach Redis or the log.
        throw new Error(`the mail server failed: ${(error as { code?: string }).code ?? 'unknown'}`)
      }
    }
    return async ({ sealed }, queued) => {
      const id = String(queued.id)
      let job: MailJob
      try {
        job = mailJob.parse(JSON.parse(unseal(config.SECRETS_KEY, 'mail', sealed)))
      } catch (error) {
        // During a rotation of SECRETS_KEY another worker may have the key, or this one after a restart.
        if (error instanceof UnknownKeyError) throw error
        await settle(service.peers, id)
        throw new UnrecoverableError('unreadable mail')
      }
      if (job.template === 'inactive-account') {
        // A retry after a failed call to auth must not send the warning again.
        const known = OUTCOMES.find(each => each === queued.progress)
        const outcome = known ?? (await send(job, queued))
        if (!known) await queued.updateProgress(outcome)
        return confirmWarning(service.peers, job, outcome, queued)
      }
      if (Date.now() > queued.timestamp + (LINK_MS[job.template] ?? Infinity)) {
        await settle(service.peers, id)
        throw new UnrecoverableError('the link of the mail has expired')
      }
      const outcome = await send(job, queued)
      await settle(service.peers, id)
      if (outcome === 'refused') throw new UnrecoverableError('the mail server refuses the address')
    }
  },
})
