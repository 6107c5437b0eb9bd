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
  SECRETS_KEY: secretsKeySetting,
  SMTP_URL: urlSetting('smtp', 'smtps').describe(
    '`smtp://user:password@host:port` or `smtps://…`. `npm start` starts an inbox.',
  ),
  MAIL_FROM: z.string().default(`${PRODUCT_NAME} <no-reply@iodine.local>`).describe('Sender of mails.'),
  OPENAI_BASE_URL: urlSetting('http', 'https')
    .default('https://api.openai.com/v1')
    .describe('Any provider with the API of OpenAI.'),
  OPENAI_MODEL: z.string().default('gpt-4o-mini').describe('Model of the provider for triplets.'),
  OPENAI_EMBEDDINGS_MODEL: z
    .string()
    .default('text-embedding-3-small')
    .describe(
      'Model of the provider for embeddings, which compares variants on request. Must offer 256 dimensions.',
    ),
  EMBEDDINGS_TIMEOUT_MS: z.coerce
    .number()
    .int()
    .min(1)
    .default(60_000)
    .describe('Milliseconds for the embeddings of all variants of a user.'),
  TSA_URL: urlSetting('http', 'https')
    .optional()
    .describe('Time-stamping authority (RFC 3161) that stamps the evidence log every hour.'),
  SUBSCRIPTIONS_ALLOW: hostsSetting
    .default([])
    .describe(
      'Hosts of the own network that subscriptions may query: `host` or `host:port`, separated by commas.',
    ),
  WEBHOOKS_ALLOW: hostsSetting
    .default([])
    .describe(
      'Hosts of the own network that webhooks of any user may call: `host` or `host:port`, separated by commas.',
    ),
  SUBSCRIPTIONS_CA: z
    .string()
    .transform(pem => pem.replaceAll('\\n', '\n'))
    .refine(isCertificate, 'must be a certificate in PEM')
    .optional()
    .describe(
      'Certificate authority that subscriptions and webhooks trust in addition to the public ones: PEM, line breaks may be `\\n`.',
    ),
  EXTRACTION_LOCK_MS: z.coerce
    .number()
    .int()
    .min(1_000)
    .default(15_000)
    .describe(
      'Milliseconds until the lock of a lost worker expires. Another worker restarts its extractions at most a third of that time later.',
    ),
})
export type WorkersConfig = z.output<typeof workersConfigSchema>
