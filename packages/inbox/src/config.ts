import { portSetting } from '@iodine/service-kit'
import { z } from 'zod'

/** Settings of the standalone inbox process. */
export const inboxConfigSchema = z.object({
  /** Host of the web page and of the SMTP server. */
  HOST: z.string().default('127.0.0.1'),
  /** Port of the web page. */
  PORT: portSetting.default(1080),
  SMTP_PORT: portSetting.default(1025),
  /** Folder of the stored mails. */
  MAIL_FOLDER: z.string().default('/tmp/inbox'),
})
