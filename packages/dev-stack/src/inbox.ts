import { mkdirSync } from 'node:fs'
import { localUrl } from './net.js'

export interface Inbox {
  /** Where mail is read. */
  url: string
  /** Where mail is sent to. */
  smtpUrl: string
  stop(): Promise<void>
}

/** The embedded mail inbox (MailDev): SMTP on a free loopback port, its page on `port`, the last 500 mails kept in `folder`. */
export async function startInbox({
  folder,
  host,
  port,
}: {
  folder: string
  host: string
  port: number
}): Promise<Inbox> {
  // Loaded here only: a stack with an SMTP server of its own never pays for it.
  const { MailDev } = await import('maildev')
  mkdirSync(folder, { recursive: true, mode: 0o700 })
  const maildev = new MailDev({
    smtp: 0,
    ip: '127.0.0.1',
    web: port,
    webIp: host,
    silent: true,
    mailDirectory: folder,
    maxEmails: 500,
  })
  const servers = await maildev.start()
  const web = servers.api?.getPort()
  return {
    url: localUrl(host, web ?? port),
    smtpUrl: `smtp://127.0.0.1:${servers.smtp.getAddress().port}`,
    stop: () => maildev.stop(),
  }
}
