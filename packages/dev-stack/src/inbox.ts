import { mkdirSync } from 'node:fs'
import { isIP } from 'node:net'
import { setTimeout as sleep } from 'node:timers/promises'
import { localUrl } from './net.js'

export interface Inbox {
  /** Where mail is read. */
  url: string
  /** Where mail is sent to. */
  smtpUrl: string
  /** The link in the mail that `request` has sent to an address; the mail is then removed. Throws after ten seconds. */
  takeLink(to: string, request: () => Promise<unknown>): Promise<string>
  stop(): Promise<void>
}

export interface InboxOptions {
  /** Keeps the last mails. */
  folder: string
  host: string
  /** Of the page; 0 takes any free one. */
  port: number
}

/** What the inbox's API tells of a mail. */
interface Mail {
  id: string
  to: { address: string }[]
  text: string
}

const KEPT_MAILS = 500

/**
 * The embedded mail inbox: MailDev's SMTP server on a free loopback port, and its page and API. Put together from its
 * parts, as its one-call form lets every web page in the same browser read the mails, and with them the sign-in links.
 */
export const startInbox = async ({ folder, host, port }: InboxOptions): Promise<Inbox> => {
  // Loaded here only: a stack that sends to an SMTP_URL never pays for it.
  const [{ FileStorage }, { createSMTPServer }, { createAPIServer }, { registerUI }] = await Promise.all([
    import('@maildev/core'),
    import('@maildev/smtp'),
    import('@maildev/api'),
    import('@maildev/ui/server'),
  ])
  mkdirSync(folder, { recursive: true, mode: 0o700 })
  const storage = new FileStorage({ mailDirectory: folder, maxEmails: KEPT_MAILS })
  await storage.initialize()
  const smtp = createSMTPServer({ port: 0, host: '127.0.0.1', storage, mailDir: folder, logger: false })
  await smtp.start()
  await smtp.pruneMailDir(KEPT_MAILS)
  await smtp.loadMailsFromDirectory()
  const api = createAPIServer({
    port,
    host,
    basePath: '',
    storage,
    smtp,
    cors: { origin: false, credentials: false },
  })
  // A name that somebody else's DNS points at this machine would make the page one of theirs.
  api.server.addHook('onRequest', async (request, reply) => {
    const name = request.hostname
    if (name !== 'localhost' && name !== host && !isIP(name.replace(/^\[|]$/g, '')))
      return reply.code(403).send()
  })
  await api.registerPlugins()
  await registerUI(api.server)
  // It greets on standard output, which is kept for the line `ready <url>`.
  const { info } = console
  console.info = () => {}
  try {
    await api.listen()
  } finally {
    console.info = info
  }
  const url = localUrl(host, api.getPort() ?? port)
  const mailsTo = async (address: string) => {
    const mails = (await (await fetch(`${url}/api/email`)).json()) as Mail[]
    return mails.filter(({ to }) => to.some(each => each.address === address))
  }
  return {
    url,
    smtpUrl: `smtp://127.0.0.1:${smtp.getAddress().port}`,
    async takeLink(to, request) {
      const before = new Set((await mailsTo(to)).map(({ id }) => id))
      await request()
      for (const deadline = Date.now() + 10_000; Date.now() < deadline; await sleep(50)) {
        const mail = (await mailsTo(to)).find(({ id }) => !before.has(id))
        const link = mail && /https?:\/\/\S+token=\S+/.exec(mail.text)?.[0]
        if (!link) continue
        await fetch(`${url}/api/email/${mail.id}`, { method: 'DELETE' })
        return link
      }
      throw new Error(`no sign-in link was mailed to ${to}`)
    },
    async stop() {
      await api.stop()
      await smtp.stop()
      await storage.close()
    },
  }
}
