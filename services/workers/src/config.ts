import { X509Certificate } from 'node:crypto'
import { PRODUCT_NAME } from '@iodine/contracts'
import { secretsKeySetting, serviceConfigSchema, urlSetting } from '@iodine/service-kit'
import { z } from 'zod'

const HOST = /^[a-z0-9](?:[a-z0-9.-]*[a-z0-9])?(?::\d{1,5})?$/i
const hostsSetting = z
  .string()
  .transform(text =>
    text
      .split(',')
      .map(each => each.trim())
      .filter(Boolean),
  )
  .refine(hosts => hosts.every(each => HOST.test(each)), 'must be host or host:port, separated by commas')

const isCertificate = (pem: string): boolean => {
  try {
    return new X509Certificate(pem).publicKey !== undefined
  } catch {
    return false
  }
}

export const workersConfigSchema = serviceConfigSchema.extend({
  /** Decrypts sealed mail jobs and sealed AI keys. */
  SECRETS_KEY: secretsKeySetting,
  SMTP_URL: urlSetting('smtp', 'smtps'),
  MAIL_FROM: z.string().default(`${PRODUCT_NAME} <no-reply@iodine.local>`),
  OPENAI_BASE_URL: urlSetting('http', 'https').default('https://api.openai.com/v1'),
  OPENAI_MODEL: z.string().default('gpt-4o-mini'),
  /** Compares labels of canonical narratives by their meaning, on request. Must offer 256 dimensions. */
  OPENAI_EMBEDDINGS_MODEL: z.string().default('text-embedding-3-small'),
  /** Milliseconds that the vectors of a user's labels may take. */
  EMBEDDINGS_TIMEOUT_MS: z.coerce.number().int().min(1).default(60_000),
  /** A time-stamping authority (RFC 3161), which witnesses the log of seals every hour. */
  TSA_URL: urlSetting('http', 'https').optional(),
  /** Hosts of the deployment's own network that subscriptions may ask: `host` or `host:port`, separated by commas. */
  SUBSCRIPTIONS_ALLOW: hostsSetting.default([]),
  /** A certification authority that subscriptions trust beside the usual ones; PEM. */
  SUBSCRIPTIONS_CA: z
    .string()
    .transform(pem => pem.replaceAll('\\n', '\n'))
    .refine(isCertificate, 'must be a certificate in PEM')
    .optional(),
  /**
   * Milliseconds that a lost worker's lock holds its extractions. They restart on another worker within a
   * third of it more.
   */
  EXTRACTION_LOCK_MS: z.coerce.number().int().min(1_000).default(15_000),
})
export type WorkersConfig = z.output<typeof workersConfigSchema>
