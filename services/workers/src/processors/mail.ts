import { setTimeout as sleep } from 'node:timers/promises'
import { accountsInternal, type MailJob, mailJob, mailsInternal } from '@iodine/contracts'
import { HttpError, type Job, traced, UnrecoverableError, unseal } from '@iodine/service-kit'
import { createTransport } from 'nodemailer'
import { presentMail } from '../mail/templates.js'
import { defineProcessor, postpone } from '../processor.js'

/** What the mail server made of a mail: it answered 250, or refuses the address for good. */
const OUTCOMES = ['taken', 'refused'] as const
type Outcome = (typeof OUTCOMES)[number]

/** How soon auth is told again of a warning when it was down. */
const TELL_AGAIN_MS = 3_000

/**
 * Whether the server refuses this recipient for good: 5xx on RCPT TO. A refusal of our own address, of the content or by
 * policy (5.7.x: relaying, blocklists) says nothing about the recipient, and may be mended.
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

/** Pauses before auth is told again that a mail is done with. */
const SETTLE_PAUSES_MS = [0, 500, 2_000, 4_000]

/** Sends what other services sealed; a failing SMTP server is tried again by the queue. */
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
    /** A mail that auth keeps until it is done with: told nothing, auth has it sent once more. */
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
    /** Hands a mail to the server. Throws where another try may succeed. */
    const send = async (job: MailJob, queued: Job): Promise<Outcome> => {
      try {
        // An address object, so that no address is ever read as a list of several.
        await traced('smtp send', {}, () =>
          transport.sendMail({
            from: config.MAIL_FROM,
            // The same when a worker that died after handing it over has it sent again, so that readers see one.
            messageId: `<${queued.id}.${queued.timestamp}@${domain}>`,
            to: { name: '', address: job.to },
            // Out-of-office replies stay away (RFC 3834).
            headers: { 'Auto-Submitted': 'auto-generated' },
            ...presentMail(job),
          }),
        )
        return 'taken'
      } catch (error) {
        if (isAddressRefused(error)) return 'refused'
        // The server's own words may hold the address: they stay out of Redis and the log.
        throw new Error(`the mail server failed: ${(error as { code?: string }).code ?? 'unknown'}`)
      }
    }
    /** An account goes only after its warning: auth hears of it, however long it is down. */
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
      } catch {
        await settle(id)
        throw new UnrecoverableError('unreadable mail')
      }
      if (job.template === 'inactive-account') {
        // A warning that the server has decided on is not handed in again where only auth could not be told.
        const known = OUTCOMES.find(each => each === queued.progress)
        const outcome = known ?? (await send(job, queued))
        if (!known) await queued.updateProgress(outcome)
        return tellOfWarning(job, outcome, queued)
      }
      const outcome = await send(job, queued)
      await settle(id)
      if (outcome === 'refused') throw new UnrecoverableError('the mail server refuses the address')
    }
  },
})
