import { portSetting } from '@iodine/service-kit'
import { z } from 'zod'

/** Settings of the inbox as a process of its own. */
export const inboxConfigSchema = z.object({
  /** Of the web page and the SMTP server. */
  HOST: z.string().default('127.0.0.1'),
  /** Of the web page. */
  PORT: portSetting.default(1080),
  SMTP_PORT: portSetting.default(1025),
  /** Stores the most recent mails. */
  MAIL_FOLDER: z.string().default('/tmp/inbox'),
})
