import { setTimeout as sleep } from 'node:timers/promises'
import { accountsInternal, LIMITS, type MailJob, mailJob, mailsInternal } from '@iodine/contracts'
import { HttpError, type Job, traced, UnknownKeyError, UnrecoverableError, unseal } from '@iodine/service-kit'
import { createTransport } from 'nodemailer'
import { presentMail } from '../mail/templates.js'
import { defineProcessor, postpone } from '../processor.js'

/** The mail server's decision: 250 (`taken`), or a permanent refusal of the address (`refused`). */
const OUTCOMES = ['taken', 'refused'] as const
type Outcome = (typeof OUTCOMES)[number]

/** Delay before a retry of confirming a warning to auth. */
const TELL_AGAIN_MS = 3_000

/**
 * Whether the server refuses this recipient permanently: 5xx on RCPT TO. A refusal of the sender, of the
 * content or by policy (5.7.x: relaying, blocklists) says nothing about the recipient and can be fixed.
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

/** Back-off before auth is told again that a mail is settled. */
const SETTLE_PAUSES_MS = [0, 500, 2_000, 4_000]

/** How long the links of mails work from their making on. A mail that comes later would be of no use. */
const LINK_MS: Partial<Record<MailJob['template'], number>> = {
  'magic-link': LIMITS.magicLinkMs,
  'confirm-deletion': LIMITS.deletionLinkMs,
  'confirm-old-address': LIMITS.addressChangeMs,
  'confirm-new-address': LIMITS.addressChangeMs,
}

/** Sends mails that other services sealed. The queue retries when the SMTP server fails. */
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
    /** Tells auth that a mail is settled. If all calls fail, auth has the mail sent again. */
    const settle = async (id: string): Promise<void> => {
      for (const pause of SETTLE_PAUSES_MS) {
        await sleep(pause)
        const isTold = await service.peers.call('auth', mailsInternal.settleMail, { params: { id } }).then(
          () => true,
          () => false,
        )
        if (isTold) return
      }
    }
    /** Sends a mail. Throws where a retry may succeed. */
    const send = async (job: MailJob, queued: Job): Promise<Outcome> => {
      try {
        // An address object: a string could be parsed as a list of addresses.
        await traced('smtp send', {}, () =>
          transport.sendMail({
            from: config.MAIL_FROM,
            // Stable across retries: when a worker dies after sending, mail clients show the duplicate once.
            messageId: `<${queued.id}.${queued.timestamp}@${domain}>`,
            to: { name: '', address: job.to },
            // Suppresses out-of-office replies (RFC 3834).
            headers: { 'Auto-Submitted': 'auto-generated' },
            ...presentMail(job),
          }),
        )
        return 'taken'
      } catch (error) {
        if (isAddressRefused(error)) return 'refused'
        // The server's message may contain the address, which must not reach Redis or the log.
        throw new Error(`the mail server failed: ${(error as { code?: string }).code ?? 'unknown'}`)
      }
    }
    /** Confirms a warning to auth, retried without limit: an account is deleted only after its warning. */
    const tellOfWarning = async (
      { user_id, last_active_at }: Extract<MailJob, { template: 'inactive-account' }>,
      outcome: Outcome,
      queued: Job,
    ): Promise<void> => {
      try {
        await service.peers.call('auth', accountsInternal.confirmWarning, {
          params: { id: user_id },
          body: { last_active_at, outcome },
        })
      } catch (error) {
        if (!(error instanceof HttpError)) throw error
        await postpone(queued, TELL_AGAIN_MS)
      }
    }
    return async ({ sealed }, queued) => {
      const id = String(queued.id)
      let job: MailJob
      try {
        job = mailJob.parse(JSON.parse(unseal(config.SECRETS_KEY, 'mail', sealed)))
      } catch (error) {
        // While SECRETS_KEY is exchanged, another worker may have the key, or this one once it starts anew.
        if (error instanceof UnknownKeyError) throw error
        await settle(id)
        throw new UnrecoverableError('unreadable mail')
      }
      if (job.template === 'inactive-account') {
        // A retry after a failed call to auth must not send the warning again.
        const known = OUTCOMES.find(each => each === queued.progress)
        const outcome = known ?? (await send(job, queued))
        if (!known) await queued.updateProgress(outcome)
        return tellOfWarning(job, outcome, queued)
      }
      if (Date.now() > queued.timestamp + (LINK_MS[job.template] ?? Infinity)) {
        await settle(id)
        throw new UnrecoverableError('the link of the mail works no more')
      }
      const outcome = await send(job, queued)
      await settle(id)
      if (outcome === 'refused') throw new UnrecoverableError('the mail server refuses the address')
    }
  },
})
