import { LIMITS, type MailJob, PRODUCT_NAME } from '@iodine/contracts'

/** Content of a mail, for both of its bodies. */
interface MailContent {
  subject: string
  /** Paragraphs before the link; `after` holds those after it. */
  before: string[]
  /** Sentences with links, before the button. */
  items?: { text: string; link: string }[]
  button: string
  after: string[]
  /** Header fields. */
  headers?: Record<string, string>
}

const escapeHtml = (text: string): string =>
  text.replace(/[&<>"']/g, character => `&#${character.charCodeAt(0)};`)

const longDate = (time: string): string =>
  new Intl.DateTimeFormat('en-GB', { dateStyle: 'long', timeZone: 'UTC' }).format(new Date(time))

const longTime = (time: string): string =>
  `${new Intl.DateTimeFormat('en-GB', { dateStyle: 'long', timeStyle: 'short', timeZone: 'UTC' }).format(new Date(time))} UTC`

const hours = (ms: number): string => `${ms / 3_600_000} hours`
const days = (ms: number): string => `${ms / 86_400_000} days`

/** Effects of a deletion. */
const DELETED =
  'your profile, AI provider key, collected data and narratives are removed; your IODs, votes and campaigns stay without your name.'

/** Over 80 lines, as it is a table of texts. */
const contentOf = (job: MailJob): MailContent => {
  switch (job.template) {
    case 'magic-link':
      return {
        subject: `Sign in to ${PRODUCT_NAME}`,
        before: [
          `Use this link to sign in to ${PRODUCT_NAME}. It works once, for ${LIMITS.magicLinkMs / 60_000} minutes.`,
        ],
        button: 'Sign in',
        after: [
          'If you did not request this link, ignore this message. Never forward it: anyone with the link can sign in.',
        ],
      }
    case 'account-suspended':
      return {
        subject: `Your ${PRODUCT_NAME} account is suspended`,
        before: [
          `A link to sign in to ${PRODUCT_NAME} was requested, probably by you. Your account is suspended, so you cannot sign in. The terms of service explain when accounts are suspended and how to contact the team.`,
        ],
        button: 'Terms of service',
        after: ['If you did not request a link, ignore this message.'],
      }
    case 'inactive-account':
      return {
        subject: `Your ${PRODUCT_NAME} account will be deleted on ${longDate(job.delete_at)}`,
        before: [
          `You have not used ${PRODUCT_NAME} for a long time. Accounts that stay inactive for ${LIMITS.inactiveMonths} months are deleted: yours on ${longDate(job.delete_at)}.`,
          'To keep it, sign in before that day.',
        ],
        button: 'Sign in',
        after: [`If you do nothing, ${DELETED}`],
      }
    case 'confirm-old-address':
      return {
        subject: `Change the email address of your ${PRODUCT_NAME} account`,
        before: [
          `A change of the email address of your ${PRODUCT_NAME} account to ${job.new_email} was requested, probably by you.`,
          `To confirm the change, open this page within ${hours(LIMITS.addressChangeMs)}. A second message to the new address contains another link, which must be confirmed as well.`,
        ],
        button: 'Review the change',
        after: [
          'If you did not request the change, do not confirm it: your address stays. In that case, someone else is signed in to your account: sign in, and end all other sessions on My Profile.',
        ],
      }
    case 'confirm-new-address':
      return {
        subject: `Confirm your new email address for ${PRODUCT_NAME}`,
        before: [
          `The ${PRODUCT_NAME} account of ${job.old_email} is to use this email address.`,
          `To confirm the change, open this page within ${hours(LIMITS.addressChangeMs)}. A second message to the old address contains another link, which must be confirmed as well.`,
        ],
        button: 'Review the change',
        after: ['If you did not request the change, ignore this message: nothing changes.'],
      }
    case 'address-not-free':
      return {
        subject: `This email address is in use on ${PRODUCT_NAME}`,
        before: [
          `A change of a ${PRODUCT_NAME} account to this email address was requested, perhaps by you. The address already belongs to an account or to an administrator, so no other account can use it.`,
          'Nothing has changed. If you meant this address, sign in with it.',
        ],
        button: 'Sign in',
        after: ['If you did not request the change, ignore this message.'],
      }
    case 'address-changed':
      return {
        subject: `The email address of your ${PRODUCT_NAME} account has changed`,
        before: [
          `The email address of your ${PRODUCT_NAME} account is now ${job.new_email}: both addresses have confirmed the change. Sign-in links go to the new address; sign-in with this address no longer works.`,
        ],
        button: 'My Profile',
        after: ['If you did not confirm the change, contact the team: the privacy policy explains how.'],
      }
    case 'confirm-deletion':
      return {
        subject: `Delete your ${PRODUCT_NAME} account`,
        before: [
          `The deletion of your ${PRODUCT_NAME} account was requested, probably by you.`,
          `To confirm the deletion, open this page within ${LIMITS.deletionLinkMs / 60_000} minutes. You can cancel it for ${days(LIMITS.deletionDelayMs)} after that.`,
        ],
        button: 'Review the deletion',
        after: [
          'If you did not request the deletion, do not confirm it: your account stays. In that case, someone else is signed in to it: sign in, and end all other sessions on My Profile.',
        ],
      }
    case 'deletion-scheduled':
      return {
        subject: `Your ${PRODUCT_NAME} account will be deleted on ${longDate(job.delete_at)}`,
        before: [
          `As you requested, your ${PRODUCT_NAME} account will be deleted on ${longDate(job.delete_at)}. You are signed out everywhere.`,
          'To keep it, sign in before that day and choose Keep my account.',
        ],
        button: 'Sign in',
        after: [`On that day ${DELETED}`],
      }
    case 'data-export-ready':
      return {
        subject: `Your ${PRODUCT_NAME} data is ready`,
        before: [
          `The file with all data that ${PRODUCT_NAME} stores about you is ready. Download it on My Profile until ${longTime(job.expires_at)}; it is deleted then.`,
        ],
        button: 'My Profile',
        after: [
          'If you did not request it, someone else is signed in to your account: end all other sessions on My Profile.',
        ],
      }
    case 'notifications':
      return {
        subject: `${PRODUCT_NAME}: ${job.items.length + job.more === 1 ? 'a notification' : `${job.items.length + job.more} notifications`}`,
        before: ['News on what you watch:'],
        items: job.items,
        button: 'Notification settings',
        after: [
          ...(job.more > 0 ? [`${job.more} more are in the app.`] : []),
          'You receive this message because you have switched on mails in the notification settings.',
        ],
        // RFC 8058: mail programs end the mails by one click.
        headers: {
          'List-Unsubscribe': `<${job.unsubscribe}>`,
          'List-Unsubscribe-Post': 'List-Unsubscribe=One-Click',
        },
      }
  }
}

/** Returns the subject, text body, HTML body and header fields of a mail. */
export const presentMail = (
  job: MailJob,
): { subject: string; text: string; html: string; headers: Record<string, string> } => {
  const { subject, before, items = [], button, after, headers = {} } = contentOf(job)
  const link = escapeHtml(job.link)
  const title = escapeHtml(subject)
  const small = 'line-height:1.5;font-size:13px;color:#5f6b7c'
  return {
    subject,
    headers,
    text: `${[...before, ...items.map(({ text, link }) => `${text}\n${link}`), job.link, ...after].join('\n\n')}\n`,
    html: `<!doctype html>
<html lang="en"><head><meta charset="utf-8"><title>${title}</title></head>
<body style="margin:0;padding:24px;background:#f6f7f9;font-family:system-ui,-apple-system,'Segoe UI',sans-serif;color:#1c2127">
<div style="max-width:480px;margin:0 auto;padding:32px;background:#fff;border-radius:8px">
<h1 style="margin:0 0 16px;font-size:20px">${title}</h1>
${before.map(text => `<p style="line-height:1.5">${escapeHtml(text)}</p>`).join('\n')}
${items.map(({ text, link }) => `<p style="line-height:1.5"><a href="${escapeHtml(link)}">${escapeHtml(text)}</a></p>`).join('\n')}
<p style="margin:24px 0"><a href="${link}" style="display:inline-block;padding:12px 24px;background:#2d72d2;color:#fff;text-decoration:none;border-radius:4px">${button}</a></p>
<p style="${small}">Or copy this link into your browser:<br><span style="word-break:break-all">${link}</span></p>
${after.map(text => `<p style="${small}">${escapeHtml(text)}</p>`).join('\n')}
</div></body></html>
`,
  }
}
