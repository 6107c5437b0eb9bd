import { mkdirSync } from 'node:fs'
import { isIP } from 'node:net'
import { localUrl } from './net.js'

export interface Inbox {
  /** Where mail is read. */
  url: string
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
    // Its page is sent to whoever asks for HTML by name: curl, which takes anything, has it too.
    if (request.method === 'GET' && request.url.split('?')[0] === '/') request.headers.accept = 'text/html'
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
  return {
    url,
    smtpUrl: `smtp://127.0.0.1:${smtp.getAddress().port}`,
    async stop() {
      await api.stop()
      await smtp.stop()
      await storage.close()
    },
  }
}
