import { readConfig, runPart } from '@iodine/service-kit'
import { inboxConfigSchema } from './config.js'
import { type Inbox, startInbox } from './inbox.js'

await runPart(async () => {
  const { HOST, PORT, SMTP_PORT, MAIL_FOLDER } = readConfig(inboxConfigSchema, process.env)
  let inbox: Inbox | undefined
  return {
    async listen() {
      inbox = await startInbox({
        folder: MAIL_FOLDER,
        host: HOST,
        port: PORT,
        smtpHost: HOST,
        smtpPort: SMTP_PORT,
      })
      return `http://${HOST}:${inbox.port}`
    },
    async drain() {},
    async close() {
      await inbox?.stop()
    },
  }
})
