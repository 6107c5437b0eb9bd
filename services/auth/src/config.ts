import { email } from '@iodine/contracts'
import {
  secretsKeySetting,
  signingKeysSetting,
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
  PUBLIC_URL: urlSetting('http', 'https')
    .transform(url => url.replace(/\/+$/, ''))
    .describe(
      'Base of the links in mails, and sign-in URL of the extension. With `npm start`: `http://localhost:PORT`.',
    ),
  BETA_REQUIRED: switchSetting.default(false).describe('`true`: new accounts need a beta code.'),
  ADMIN_EMAILS: emails
    .default([])
    .describe(
      'Email addresses of administrators, separated by commas. With `npm start`: `admin@iodine.local`.',
    ),
  ADMIN_PASSKEYS: z
    .enum(['optional', 'required'])
    .default('optional')
    .describe('`required`: administration requires a session opened with a passkey.'),
  WORKERS_URL: urlSetting('http', 'https')
    .optional()
    .describe('Internal URL of the workers. Adds them to `/readyz` and to Admin → System.'),
  SECRETS_KEY: secretsKeySetting,
  JWT_PRIVATE_KEY: signingKeysSetting.describe(
    'Ed25519 key, PKCS 8 in PEM. Signs sessions. Several, one after the other, during a rotation; the first signs. `npm start` creates one in `DATA_DIR`.',
  ),
})
export type AuthConfig = z.output<typeof authConfigSchema>
