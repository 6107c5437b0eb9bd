import { email } from '@iodine/contracts'
import {
  keySetting,
  signingKeySetting,
  storeConfigSchema,
  switchSetting,
  urlSetting,
} from '@iodine/service-kit'
import { z } from 'zod'

const emails = z
  .string()
  .transform(text => text.split(',').filter(part => part.trim() !== ''))
  .pipe(z.array(email))

export const authConfigSchema = storeConfigSchema.extend({
  /** Base URL of links in mails. */
  PUBLIC_URL: urlSetting('http', 'https').transform(url => url.replace(/\/+$/, '')),
  BETA_REQUIRED: switchSetting.default(false),
  ADMIN_EMAILS: emails.default([]),
  /** `required`: administrators administer in sessions that a passkey opened. */
  ADMIN_PASSKEYS: z.enum(['optional', 'required']).default('optional'),
  /** Address of the workers, whose state administrators see. */
  WORKERS_URL: urlSetting('http', 'https').optional(),
  /** Encrypts AI keys and mail jobs. */
  SECRETS_KEY: keySetting,
  JWT_PRIVATE_KEY: signingKeySetting,
})
export type AuthConfig = z.output<typeof authConfigSchema>
