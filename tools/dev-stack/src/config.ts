import { isIP } from 'node:net'
import { authConfigSchema } from '@iodine/auth'
import { collectorConfigSchema } from '@iodine/collector'
import { email, parseUrl } from '@iodine/contracts'
import {
  LOG_LEVELS,
  portSetting,
  readConfig,
  secretsKeySetting,
  signingKeySetting,
  signingKeysSetting,
  switchSetting,
  tracingSettings,
  urlSetting,
} from '@iodine/service-kit'
import { workersConfigSchema } from '@iodine/workers'
import { z } from 'zod'
import { type Env, PARTS } from './parts.js'

const list = <T extends z.ZodType<unknown, string>>(item: T) =>
  z
    .string()
    .transform(text =>
      text
        .split(',')
        .map(part => part.trim())
        .filter(Boolean),
    )
    .pipe(z.array(item))

const isOrigin = (text: string) => parseUrl(text)?.origin === text
const isExtensionOrigin = (text: string) => /^(chrome|moz|safari-web)-extension:\/\/[\w-]+$/.test(text)
const isSubnet = (text: string) => {
  const [address = '', bits, more] = text.split('/')
  const size = { 4: 32, 6: 128 }[isIP(address)]
  return !!size && more === undefined && (bits === undefined || (/^\d+$/.test(bits) && Number(bits) <= size))
}

const hostSetting = z.string().regex(/^[\w.:-]+$/, 'must be a host name or an address')

/** Limits of the services, with the same settings for all of them. */
const bounds: Record<string, z.ZodType> = Object.assign(
  {},
  ...Object.values(PARTS).map(({ schema }) =>
    Object.fromEntries(
      Object.entries(schema.shape).filter(([name]) => /^(QUOTA_|STORAGE_ALARM_BYTES$)/.test(name)),
    ),
  ),
)

/** The environment variables of a deployment, listed in docs/settings.md. Each has an embedded default. */
export const stackConfigSchema = z.object({
  PORT: portSetting.default(8080),
  HOST: hostSetting.default('127.0.0.1'),
  PUBLIC_URL: urlSetting('http', 'https').optional(),
  DATA_DIR: z
    .string()
    .default('.data')
    .describe('State of all embedded parts. One running copy for each folder.'),
  MONGODB_URI: urlSetting('mongodb', 'mongodb+srv').optional(),
  REDIS_URL: urlSetting('redis', 'rediss').optional(),
  SMTP_URL: urlSetting('smtp', 'smtps').optional(),
  INBOX_PORT: portSetting.default(1080).describe('Port of the page of the embedded inbox.'),
  INBOX_HOST: hostSetting
    .default('127.0.0.1')
    .describe(
      'Address that the page of the inbox listens on. A reader of the inbox can sign in as any user.',
    ),
  MAIL_FROM: z
    .string()
    .refine(
      text => email.safeParse(/<([^<>]*)>\s*$/.exec(text)?.[1] ?? text).success,
      'must be an e-mail address, or Name <address>',
    )
    .optional(),
  OPENAI_BASE_URL: urlSetting('http', 'https').optional(),
  OPENAI_MODEL: z.string().optional(),
  OPENAI_EMBEDDINGS_MODEL: z.string().optional(),
  TSA_URL: urlSetting('http', 'https').optional(),
  SUBSCRIPTIONS_ALLOW: workersConfigSchema.shape.SUBSCRIPTIONS_ALLOW,
  WEBHOOKS_ALLOW: workersConfigSchema.shape.WEBHOOKS_ALLOW,
  SUBSCRIPTIONS_CA: workersConfigSchema.shape.SUBSCRIPTIONS_CA,
  BETA_REQUIRED: switchSetting.default(false),
  ADMIN_EMAILS: list(email).default(['admin@iodine.local']),
  ADMIN_PASSKEYS: authConfigSchema.shape.ADMIN_PASSKEYS,
  CONTACT_EMAIL: email.optional(),
  SECRETS_KEY: secretsKeySetting.optional(),
  JWT_PRIVATE_KEY: signingKeysSetting.optional(),
  SEAL_PRIVATE_KEY: signingKeySetting.optional(),
  // Replaces the service's default: blobs are files in DATA_DIR.
  BLOBS_URL: collectorConfigSchema.shape.BLOBS_URL.unwrap().optional(),
  CORS_ORIGINS: list(
    z
      .string()
      .refine(
        text => isOrigin(text) || isExtensionOrigin(text),
        'must be origins, such as https://example.org',
      ),
  ).optional(),
  TRUST_PROXY: z
    .string()
    .refine(
      text =>
        /^(true|false|\d+)$/.test(text) ||
        text
          .split(',')
          .every(part => isSubnet(part.trim()) || /^(loopback|linklocal|uniquelocal)$/.test(part.trim())),
      'must be true, false, a number of hops, or a list of addresses and subnets',
    )
    .optional(),
  LOG_LEVEL: z.enum(LOG_LEVELS).default('info'),
  RATE_LIMITS: z.enum(['on', 'off'], 'must be on or off').default('on'),
  ...bounds,
  METRICS_PORT: portSetting.optional(),
  ...tracingSettings,
})

export type StackConfig = z.output<typeof stackConfigSchema>

/** Converts the environment to the product's settings. @throws ConfigError with all faults */
export const readStackConfig = (env: Env): StackConfig => readConfig(stackConfigSchema, env)
