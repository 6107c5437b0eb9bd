import { createPrivateKey } from 'node:crypto'
import { email } from '@iodine/contracts'
import { keySetting, storeConfigSchema, switchSetting, urlSetting } from '@iodine/service-kit'
import { z } from 'zod'

/** An Ed25519 private key: PKCS#8 in PEM. Environment files may write its line breaks as \n. */
const signingKey = z
  .string()
  .transform(pem => pem.replaceAll('\\n', '\n'))
  .refine(pem => {
    try {
      return createPrivateKey(pem).asymmetricKeyType === 'ed25519'
    } catch {
      return false
    }
  }, 'must be an Ed25519 private key (PKCS#8, PEM)')

const emails = z
  .string()
  .transform(text => text.split(',').filter(part => part.trim() !== ''))
  .pipe(z.array(email))

export const authConfigSchema = storeConfigSchema.extend({
  /** Base URL of links in mails. */
  PUBLIC_URL: urlSetting('http', 'https').transform(url => url.replace(/\/+$/, '')),
  BETA_REQUIRED: switchSetting.default(false),
  ADMIN_EMAILS: emails.default([]),
  /** Encrypts AI keys and mail jobs. */
  SECRETS_KEY: keySetting,
  JWT_PRIVATE_KEY: signingKey,
})
export type AuthConfig = z.output<typeof authConfigSchema>
