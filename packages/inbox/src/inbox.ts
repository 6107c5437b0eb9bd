import { mkdirSync } from 'node:fs'
import { isIP } from 'node:net'

export interface Inbox {
  /** Port of the web page. */
  port: number
  /** URL of the SMTP server. */
  smtpUrl: string
  stop(): Promise<void>
}

export interface InboxOptions {
  /** Stores the most recent mails. */
  folder: string
  host: string
  /** Port of the web page; 0 picks a free one. */
  port: number
  smtpHost?: string
  /** 0, the default, picks a free one. */
  smtpPort?: number
}

const KEPT_MAILS = 500

/**
 * Mail inbox for trying out the product: MailDev's SMTP server, by default on a free loopback port, with its
 * web page and API. Assembled from MailDev's parts, as its all-in-one function lets every web page in the
 * same browser read the mails, including sign-in links.
 */
export const startInbox = async ({
  folder,
  host,
  port,
  smtpHost = '127.0.0.1',
  smtpPort = 0,
}: InboxOptions): Promise<Inbox> => {
  // Imported lazily: a stack with an SMTP_URL does not need it.
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
  // Against DNS rebinding: a foreign host name that resolves to this machine would let that host's pages in.
  api.server.addHook('onRequest', async (request, reply) => {
    const name = request.hostname
    if (name !== 'localhost' && name !== host && !isIP(name.replace(/^\[|]$/g, '')))
      return reply.code(403).send()
    // MailDev sends its page only if Accept names HTML: send it also to clients such as curl, which accept
    // anything.
    if (request.method === 'GET' && request.url.split('?')[0] === '/') request.headers.accept = 'text/html'
  })
  // Same path as in every part, for the image's health check.
  api.server.get('/healthz', async () => ({ status: 'up' }))
  await api.registerPlugins()
  await registerUI(api.server)
  // MailDev logs to standard output, which is reserved for the line `ready <url>`.
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
