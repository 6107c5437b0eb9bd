import { type MailJob, mailJob } from '@iodine/contracts'
import { traced, UnrecoverableError, unseal } from '@iodine/service-kit'
import { createTransport } from 'nodemailer'
import { presentMail } from '../mail/templates.js'
import { defineProcessor } from '../processor.js'

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
    return async ({ sealed }, queued) => {
      let job: MailJob
      try {
        job = mailJob.parse(JSON.parse(unseal(config.SECRETS_KEY, 'mail', sealed)))
      } catch {
        throw new UnrecoverableError('unreadable mail')
      }
      try {
        // An address object, so that no address is ever read as a list of several.
        await traced('smtp send', 'client', {}, () =>
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
      } catch (error) {
        // The server's own words may hold the address: they stay out of Redis and the log.
        const { responseCode, code } = error as { responseCode?: number; code?: string }
        if (code === 'EENVELOPE' && responseCode && responseCode >= 500)
          throw new UnrecoverableError('the mail server refuses the address')
        throw new Error(`the mail server failed: ${code ?? 'unknown'}`)
      }
    }
  },
})
