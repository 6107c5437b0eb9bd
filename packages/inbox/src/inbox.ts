import { mkdirSync } from 'node:fs'
import { isIP } from 'node:net'
import { setTimeout as sleep } from 'node:timers/promises'

export interface Inbox {
  /** Of the page. */
  port: number
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
  smtpHost?: string
  /** 0, the default, takes any free one. */
  smtpPort?: number
}

/** What the inbox's API tells of a mail. */
interface Mail {
  id: string
  to: { address: string }[]
  text: string
}

const KEPT_MAILS = 500

/**
 * The mail inbox for trying out: MailDev's SMTP server, by default on a free loopback port, and its page and API. Put together from its
 * parts, as its one-call form lets every web page in the same browser read the mails, and with them the sign-in links.
 */
export const startInbox = async ({
  folder,
  host,
  port,
  smtpHost = '127.0.0.1',
  smtpPort = 0,
}: InboxOptions): Promise<Inbox> => {
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
  const smtp = createSMTPServer({ port: smtpPort, host: smtpHost, storage, mailDir: folder, logger: false })
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
  // Where every part has it, for the image's health check.
  api.server.get('/healthz', async () => ({ status: 'up' }))
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
  const mailsTo = async (address: string) => {
    const mails = (await api.server.inject('/api/email')).json<Mail[]>()
    return mails.filter(({ to }) => to.some(each => each.address === address))
  }
  return {
    port: api.getPort() ?? port,
    smtpUrl: `smtp://${smtpHost}:${smtp.getAddress().port}`,
    async takeLink(to, request) {
      const before = new Set((await mailsTo(to)).map(({ id }) => id))
      await request()
      for (const deadline = Date.now() + 10_000; Date.now() < deadline; await sleep(50)) {
        const mail = (await mailsTo(to)).find(({ id }) => !before.has(id))
        const link = mail && /https?:\/\/\S+token=\S+/.exec(mail.text)?.[0]
        if (!link) continue
        await api.server.inject({ method: 'DELETE', url: `/api/email/${mail.id}` })
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
