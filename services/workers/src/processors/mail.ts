import { type MailJob, mailJob, PRODUCT_NAME } from '@iodine/contracts'
import { UnrecoverableError, unseal } from '@iodine/service-kit'
import { createTransport } from 'nodemailer'
import { defineProcessor } from '../processor.js'

const escapeHtml = (text: string): string =>
  text.replace(/[&<>"']/g, character => `&#${character.charCodeAt(0)};`)

/** Subject and both bodies of a mail. */
export const presentMail = (job: MailJob): { subject: string; text: string; html: string } => {
  const link = escapeHtml(job.link)
  const intro = `Use this link to sign in to ${PRODUCT_NAME}. It works once, for 15 minutes.`
  const outro =
    'If you did not ask for it, ignore this message: nobody can sign in without the link. Never forward it.'
  return {
    subject: `Sign in to ${PRODUCT_NAME}`,
    text: `${intro}\n\n${job.link}\n\n${outro}\n`,
    html: `<!doctype html>
<html lang="en"><head><meta charset="utf-8"><title>Sign in to ${PRODUCT_NAME}</title></head>
<body style="margin:0;padding:24px;background:#f6f7f9;font-family:system-ui,-apple-system,'Segoe UI',sans-serif;color:#1c2127">
<div style="max-width:480px;margin:0 auto;padding:32px;background:#fff;border-radius:8px">
<h1 style="margin:0 0 16px;font-size:20px">Sign in to ${PRODUCT_NAME}</h1>
<p style="line-height:1.5">${intro}</p>
<p style="margin:24px 0"><a href="${link}" style="display:inline-block;padding:12px 24px;background:#2d72d2;color:#fff;text-decoration:none;border-radius:4px">Sign in</a></p>
<p style="line-height:1.5;font-size:13px;color:#5f6b7c">Or copy this address into your browser:<br><span style="word-break:break-all">${link}</span></p>
<p style="line-height:1.5;font-size:13px;color:#5f6b7c">${outro}</p>
</div></body></html>
`,
  }
}

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
    return async ({ sealed }) => {
      let job: MailJob
      try {
        job = mailJob.parse(JSON.parse(unseal(config.SECRETS_KEY, 'mail', sealed)))
      } catch {
        throw new UnrecoverableError('unreadable mail')
      }
      try {
        // An address object, so that no address is ever read as a list of several.
        await transport.sendMail({
          from: config.MAIL_FROM,
          to: { name: '', address: job.to },
          // Out-of-office replies stay away (RFC 3834).
          headers: { 'Auto-Submitted': 'auto-generated' },
          ...presentMail(job),
        })
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
