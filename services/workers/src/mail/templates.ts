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

const longTime = (time: string): string =>
  `${new Intl.DateTimeFormat('en-GB', { dateStyle: 'long', timeStyle: 'short', timeZone: 'UTC' }).format(new Date(time))} UTC`

const hours = (ms: number): string => `${ms / 3_600_000} hours`
const days = (ms: number): string => `${ms / 86_400_000} days`

/** What a deletion takes and leaves. */
const DELETED =
  'your profile, AI provider key, collected data and narratives are removed; your IODs, votes and campaigns stay without your name.'

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
        after: [`If you do nothing, ${DELETED}`],
      }
    case 'confirm-old-address':
      return {
        subject: `Change the address of your ${PRODUCT_NAME} account`,
        before: [
          `Somebody, probably you, asked to change the address of your ${PRODUCT_NAME} account to ${job.new_email}.`,
          `To agree, open this page and confirm there, within ${hours(LIMITS.addressChangeMs)}. The new address has to confirm, too: it has got a mail of its own.`,
        ],
        button: 'Look at the change',
        after: [
          'If you did not ask for it, do not confirm: your address stays. Somebody else is signed in to your account, then: sign in, and end all other sessions on My Profile.',
        ],
      }
    case 'confirm-new-address':
      return {
        subject: `Confirm your new address for ${PRODUCT_NAME}`,
        before: [
          `The ${PRODUCT_NAME} account of ${job.old_email} is to have this address.`,
          `To agree, open this page and confirm there, within ${hours(LIMITS.addressChangeMs)}. The old address has to confirm, too: it has got a mail of its own.`,
        ],
        button: 'Look at the change',
        after: ['If you know nothing of it, ignore this message: nothing happens.'],
      }
    case 'address-not-free':
      return {
        subject: `This address is in use on ${PRODUCT_NAME}`,
        before: [
          `Somebody, perhaps you, asked to use this address for their ${PRODUCT_NAME} account. It has an account of its own, or is an administrator’s, so it cannot be taken for another one.`,
          'Nothing has changed. If you meant this address, sign in with it.',
        ],
        button: 'Sign in',
        after: ['If you know nothing of it, ignore this message.'],
      }
    case 'address-changed':
      return {
        subject: `The address of your ${PRODUCT_NAME} account has changed`,
        before: [
          `Your ${PRODUCT_NAME} account has the address ${job.new_email} now, as both addresses have confirmed. Links to sign in go there; this address signs in to it no more.`,
        ],
        button: 'My Profile',
        after: ['If you did not confirm that, write to the team: the privacy policy says where.'],
      }
    case 'confirm-deletion':
      return {
        subject: `Delete your ${PRODUCT_NAME} account`,
        before: [
          `Somebody, probably you, asked to delete your ${PRODUCT_NAME} account.`,
          `To have it deleted, open this page and confirm there, within ${LIMITS.deletionLinkMs / 60_000} minutes. You can change your mind for ${days(LIMITS.deletionDelayMs)} after that.`,
        ],
        button: 'Look at the deletion',
        after: [
          'If you did not ask for it, ignore this message and keep your account. Somebody else is signed in to it, then: sign in, and end all other sessions on My Profile.',
        ],
      }
    case 'deletion-scheduled':
      return {
        subject: `Your ${PRODUCT_NAME} account will be deleted on ${longDate(job.delete_at)}`,
        before: [
          `As you asked, your ${PRODUCT_NAME} account will be deleted on ${longDate(job.delete_at)}. You are signed out everywhere.`,
          'To keep it, sign in before that day and choose Keep my account.',
        ],
        button: 'Sign in',
        after: [`On that day ${DELETED}`],
      }
    case 'data-export-ready':
      return {
        subject: `Your ${PRODUCT_NAME} data is ready`,
        before: [
          `The file with everything that ${PRODUCT_NAME} stores about you is ready. Download it on My Profile until ${longTime(job.expires_at)}; it is deleted then.`,
        ],
        button: 'My Profile',
        after: [
          'If you did not ask for it, somebody else is signed in to your account: end all other sessions on My Profile.',
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
