import { LIMITS, type MailJob, PRODUCT_NAME } from '@iodine/contracts'

/** A mail's content, for both of its bodies. */
interface Letter {
  subject: string
  /** Paragraphs before the link; `after` holds those after it. */
  before: string[]
  button: string
  after: string[]
}

const escapeHtml = (text: string): string =>
  text.replace(/[&<>"']/g, character => `&#${character.charCodeAt(0)};`)

const longDate = (time: string): string =>
  new Intl.DateTimeFormat('en-GB', { dateStyle: 'long', timeZone: 'UTC' }).format(new Date(time))

const letterOf = (job: MailJob): Letter => {
  switch (job.template) {
    case 'magic-link':
      return {
        subject: `Sign in to ${PRODUCT_NAME}`,
        before: [
          `Use this link to sign in to ${PRODUCT_NAME}. It works once, for ${LIMITS.magicLinkMs / 60_000} minutes.`,
        ],
        button: 'Sign in',
        after: [
          'If you did not ask for it, ignore this message: nobody can sign in without the link. Never forward it.',
        ],
      }
    case 'account-suspended':
      return {
        subject: `Your ${PRODUCT_NAME} account is suspended`,
        before: [
          `Somebody, probably you, asked for a link to sign in to ${PRODUCT_NAME}. Your account is suspended, so there is none. The terms of service say why that may happen and how to reach the team.`,
        ],
        button: 'Terms of service',
        after: ['If you did not ask for a link, ignore this message.'],
      }
    case 'inactive-account':
      return {
        subject: `Your ${PRODUCT_NAME} account will be deleted on ${longDate(job.delete_at)}`,
        before: [
          `You have not used ${PRODUCT_NAME} for a long time. Accounts that stay inactive for ${LIMITS.inactiveMonths} months are deleted: yours on ${longDate(job.delete_at)}.`,
          'To keep it, sign in before that day. That is all.',
        ],
        button: 'Sign in',
        after: [
          'If you do nothing, your profile, AI provider key, collected data and narratives are removed; your IODs, votes and campaigns stay without your name.',
        ],
      }
  }
}

/** Subject, text body and HTML body of a mail. */
export const presentMail = (job: MailJob): { subject: string; text: string; html: string } => {
  const { subject, before, button, after } = letterOf(job)
  const link = escapeHtml(job.link)
  const title = escapeHtml(subject)
  const small = 'line-height:1.5;font-size:13px;color:#5f6b7c'
  return {
    subject,
    text: `${[...before, job.link, ...after].join('\n\n')}\n`,
    html: `<!doctype html>
<html lang="en"><head><meta charset="utf-8"><title>${title}</title></head>
<body style="margin:0;padding:24px;background:#f6f7f9;font-family:system-ui,-apple-system,'Segoe UI',sans-serif;color:#1c2127">
<div style="max-width:480px;margin:0 auto;padding:32px;background:#fff;border-radius:8px">
<h1 style="margin:0 0 16px;font-size:20px">${title}</h1>
${before.map(text => `<p style="line-height:1.5">${escapeHtml(text)}</p>`).join('\n')}
<p style="margin:24px 0"><a href="${link}" style="display:inline-block;padding:12px 24px;background:#2d72d2;color:#fff;text-decoration:none;border-radius:4px">${button}</a></p>
<p style="${small}">Or copy this address into your browser:<br><span style="word-break:break-all">${link}</span></p>
${after.map(text => `<p style="${small}">${escapeHtml(text)}</p>`).join('\n')}
</div></body></html>
`,
  }
}
