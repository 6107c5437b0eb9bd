import { portSetting } from '@iodine/service-kit'
import { z } from 'zod'

/** What the inbox reads where it is a process of its own. */
export const inboxConfigSchema = z.object({
  /** Of the page and of the SMTP server. */
  HOST: z.string().default('127.0.0.1'),
  /** Of the page. */
  PORT: portSetting.default(1080),
  SMTP_PORT: portSetting.default(1025),
  /** Keeps the last mails. */
  MAIL_FOLDER: z.string().default('/tmp/inbox'),
})
