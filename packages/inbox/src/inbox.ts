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
  /** Folder of the stored mails. */
  folder: string
  host: string
  /** Port of the web page; 0 picks a free one. */
  port: number
  smtpHost?: string
  /** Port of the SMTP server; 0, the default, picks a free one. */
  smtpPort?: number
}

const KEPT_MAILS = 500

/**
 * Starts a mail inbox for trying out the product: MailDev's SMTP server with its web page and API. Assembled from
 * MailDev's parts, because its all-in-one function allows cross-origin reads of the mails, including sign-in links.
 */
export const startInbox = async ({
  folder,
  host,
  port,
  smtpHost = '127.0.0.1',
  smtpPort = 0,
}: InboxOptions): Promise<Inbox> => {
  // Imported lazily: an app with an SMTP_URL does not need MailDev.
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
  // Against DNS rebinding: pages of a foreign host name that resolves to this machine could read the mails.
  api.server.addHook('onRequest', async (request, reply) => {
    const name = request.hostname
    if (name !== 'localhost' && name !== host && !isIP(name.replace(/^\[|]$/g, '')))
      return reply.code(403).send()
    // MailDev sends its page only if Accept names HTML; clients such as curl accept anything.
    if (request.method === 'GET' && request.url.split('?')[0] === '/') request.headers.accept = 'text/html'
  })
  // The image's health check uses this path for every process.
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
