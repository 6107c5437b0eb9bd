import { EventEmitter, once } from 'node:events'
import type { AddressInfo } from 'node:net'
import PostalMime from 'postal-mime'
import { SMTPServer } from 'smtp-server'

export interface Mail {
  from: string
  to: string[]
  subject: string
  text: string
  html: string
  /** The same for every copy of one mail (RFC 5322, 3.6.4). */
  messageId: string
  /** The raw message. */
  raw: string
}

export interface MailCatcher {
  url: string
  /** All received mails, oldest first. */
  mails: Mail[]
  /** The oldest mail to the address not yet returned by a call; waits up to `ms` (45 s) for it. */
  waitForMail(to: string, ms?: number): Promise<Mail>
  /** Refuses the next `times` mails with a temporary failure (SMTP 451). */
  refuse(times: number): void
  stop(): Promise<void>
}

/**
 * Starts an SMTP server on a free loopback port that stores received mails.
 * @param options.keep called before a mail is acknowledged
 */
export const startMailCatcher = async ({
  keep,
}: {
  keep?: (mail: Mail) => void
} = {}): Promise<MailCatcher> => {
  const mails: Mail[] = []
  const returned = new Set<Mail>()
  const arrivals = new EventEmitter().setMaxListeners(0)
  let refusals = 0
  const server = new SMTPServer({
    authOptional: true,
    disabledCommands: ['STARTTLS', 'AUTH'],
    disableReverseLookup: true,
    onData(stream, session, done) {
      const chunks: Buffer[] = []
      stream.on('data', chunk => chunks.push(chunk))
      stream.on('end', async () => {
        if (refusals > 0) {
          refusals--
          return done(Object.assign(new Error('Try again later'), { responseCode: 451 }))
        }
        const raw = Buffer.concat(chunks)
        const { subject = '', text = '', html = '', from, messageId = '' } = await PostalMime.parse(raw)
        const mail: Mail = {
          from: from?.address ?? '',
          to: session.envelope.rcptTo.map(recipient => recipient.address),
          subject,
          text,
          html,
          messageId,
          raw: raw.toString(),
        }
        mails.push(mail)
        keep?.(mail)
        done()
        arrivals.emit('mail')
      })
    },
  })
  server.on('error', () => {})
  server.listen(0, '127.0.0.1')
  await once(server.server, 'listening')
  const { port } = server.server.address() as AddressInfo

  return {
    url: `smtp://127.0.0.1:${port}`,
    mails,
    async waitForMail(to, ms = 45_000) {
      const signal = AbortSignal.timeout(ms)
      for (;;) {
        const mail = mails.find(each => !returned.has(each) && each.to.includes(to))
        if (mail) {
          returned.add(mail)
          return mail
        }
        await once(arrivals, 'mail', { signal }).catch(() => {
          const others = mails.flatMap(each => each.to).join(', ') || 'none'
          throw new Error(`no mail to ${to} within ${ms} ms (mails so far: ${others})`)
        })
      }
    },
    refuse(times) {
      refusals = times
    },
    stop: () => new Promise(resolve => server.close(() => resolve())),
  }
}

/** Returns the first http(s) link in the mail's text, else in its HTML. Throws if there is none. */
export const linkIn = ({ text, html }: Pick<Mail, 'text' | 'html'>): string => {
  const link =
    /https?:\/\/[^\s<>"]+/.exec(text)?.[0] ??
    /href="(https?:[^"]+)"/.exec(html)?.[1]?.replaceAll('&amp;', '&')
  if (!link) throw new Error('the mail contains no link')
  return link
}
