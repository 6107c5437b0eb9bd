import { setTimeout as sleep } from 'node:timers/promises'
import { type MailJob, mailJob, mailsInternal } from '@iodine/contracts'
import { traced, UnrecoverableError, unseal } from '@iodine/service-kit'
import { createTransport } from 'nodemailer'
import { presentMail } from '../mail/templates.js'
import { defineProcessor } from '../processor.js'

/** Pauses before auth is told again that a mail is done with: not told, it has it sent once more. */
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
    return async ({ sealed }, queued) => {
      const id = String(queued.id)
      let job: MailJob
      try {
        job = mailJob.parse(JSON.parse(unseal(config.SECRETS_KEY, 'mail', sealed)))
      } catch {
        await settle(id)
        throw new UnrecoverableError('unreadable mail')
      }
      try {
        // An address object, so that no address is ever read as a list of several.
        await traced('smtp send', 'client', {}, () =>
          transport.sendMail({
            from: config.MAIL_FROM,
            // The same when a worker that died after handing it over has it sent again, so that readers see one.
            messageId: `<${id}.${queued.timestamp}@${domain}>`,
            to: { name: '', address: job.to },
            // Out-of-office replies stay away (RFC 3834).
            headers: { 'Auto-Submitted': 'auto-generated' },
            ...presentMail(job),
          }),
        )
      } catch (error) {
        // The server's own words may hold the address: they stay out of Redis and the log.
        const { responseCode, code } = error as { responseCode?: number; code?: string }
        if (code === 'EENVELOPE' && responseCode && responseCode >= 500) {
          await settle(id)
          throw new UnrecoverableError('the mail server refuses the address')
        }
        throw new Error(`the mail server failed: ${code ?? 'unknown'}`)
      }
      await settle(id)
    }
  },
})
