import { mkdirSync } from 'node:fs'
import { isIP } from 'node:net'

export interface Inbox {
  /** Of the page. */
  port: number
  /** Where mail is sent to. */
  smtpUrl: string
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
    // Its page is sent to whoever asks for HTML by name: curl, which takes anything, has it too.
    if (request.method === 'GET' && request.url.split('?')[0] === '/') request.headers.accept = 'text/html'
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
  return {
    port: api.getPort() ?? port,
    smtpUrl: `smtp://${smtpHost}:${smtp.getAddress().port}`,
    async stop() {
      await api.stop()
      await smtp.stop()
      await storage.close()
    },
  }
}
