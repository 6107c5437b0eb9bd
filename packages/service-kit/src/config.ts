import { createPrivateKey } from 'node:crypto'
import { parseUrl, SERVICE_NAMES, type ServiceName } from '@iodine/contracts'
import { z } from 'zod'
import { keyringOf } from './stores/sealing.js'

/** Reports all faults of an invalid environment at once. */
export class ConfigError extends Error {
  override name = 'ConfigError'
  readonly faults: string[]
  constructor(faults: string[]) {
    super(`The configuration is wrong:\n${faults.map(fault => `  - ${fault}`).join('\n')}`)
    this.faults = faults
  }
}

/** Parses environment variables into a typed config. Empty values count as absent. Throws ConfigError. */
export const readConfig = <T extends z.ZodType>(
  schema: T,
  env: Record<string, string | undefined>,
): z.output<T> => {
  const given = Object.fromEntries(
    Object.entries(env).filter(([, value]) => value !== undefined && value !== ''),
  )
  const result = schema.safeParse(given)
  if (result.success) return result.data
  throw new ConfigError(result.error.issues.map(issue => `${issue.path.join('.')}: ${issue.message}`))
}

export const portSetting = z.coerce.number('must be a port').int('must be a port').min(0).max(65_535)
export const urlSetting = (...protocols: string[]) =>
  z.string().refine(
    value => {
      // MongoDB URLs may list several hosts, which `URL` does not parse.
      const single = value.replace(/,[^/]*/, '')
      return protocols.includes(parseUrl(single)?.protocol.slice(0, -1) ?? '')
    },
    `must be a URL with ${protocols.join(' or ')}`,
  )
export const switchSetting = z
  .enum(['true', 'false'], 'must be true or false')
  .transform(value => value === 'true')
/** Maximum number of keys in one setting. */
export const KEYS_MAX = 8

/** Fault of a setting. Its message must not contain the value, which may be a key. */
class SettingFault extends Error {}
const refuse = (fault: string): never => {
  throw new SettingFault(fault)
}

/**
 * Schema of a setting with several distinct keys.
 * @param read parses the setting and normalizes each key; throws SettingFault
 */
const keysSetting = (separator: string, read: (text: string) => string[]) =>
  z.string().transform((text, context) => {
    try {
      const keys = read(text)
      if (keys.length > KEYS_MAX) throw new SettingFault(`has more than ${KEYS_MAX} keys`)
      if (new Set(keys).size < keys.length) throw new SettingFault('has the same key twice')
      return keys.join(separator)
    } catch (error) {
      if (!(error instanceof SettingFault)) throw error
      context.addIssue(error.message)
      return z.NEVER
    }
  })

/** Returns the prefix of a fault: the key's position, if there are several. */
const nth = (index: number, count: number) => (count > 1 ? `key ${index + 1} ` : '')

/**
 * Encryption keys, separated by commas: 32 bytes each, in base64. The first encrypts, all decrypt. `lost:NAME` names a
 * lost key.
 */
export const secretsKeySetting = keysSetting(',', text => {
  const entries = text.split(',').map(entry => entry.trim())
  const keys = entries.map((entry, index) => {
    if (/^lost:/.test(entry)) {
      if (index === 0) refuse('the first key encrypts: it cannot be lost')
      return /^lost:[0-9a-f]{10}$/.test(entry)
        ? entry
        : refuse('lost: must be followed by the 10 digits of a key')
    }
    const bytes = /^[A-Za-z0-9+/_-]+=*$/.test(entry) ? Buffer.from(entry, 'base64') : undefined
    if (bytes?.length !== 32) refuse(`${nth(index, entries.length)}must be 32 bytes in base64`)
    return (bytes as Buffer).toString('base64')
  })
  const { ids, lost } = keyringOf(keys.join(','))
  if (lost.some(id => ids.includes(id))) refuse('contains a key that it also lists as lost')
  return keys
}).describe(
  '32 bytes in base64. Encrypts AI keys, keys of feeds and queued mails. Several, separated by commas, during a rotation; the first encrypts. `npm start` creates one in `DATA_DIR`.',
)

const PEM = /-----BEGIN ([A-Z0-9 ]+)-----[\s\S]*?-----END \1-----/g

/** Returns an Ed25519 private key as PKCS#8 in PEM; undefined for anything else. */
const signingKey = (pem: string): string | undefined => {
  try {
    const key = createPrivateKey(pem)
    if (key.asymmetricKeyType !== 'ed25519') return undefined
    return key.export({ type: 'pkcs8', format: 'pem' }).toString().trim()
  } catch {
    return undefined
  }
}
const unescaped = (text: string) => text.replaceAll('\\n', '\n')
const NO_SIGNING_KEY = 'must be an Ed25519 private key (PKCS#8, PEM)'

/** An Ed25519 private key: PKCS#8 in PEM. Environment files may write its line breaks as \n. */
export const signingKeySetting = z
  .string()
  .transform(unescaped)
  .refine(pem => signingKey(pem) !== undefined, NO_SIGNING_KEY)

/** Several such keys, one PEM block after the other. The first signs, all verify. */
export const signingKeysSetting = keysSetting('\n', text => {
  const blocks = unescaped(text).match(PEM) ?? refuse(NO_SIGNING_KEY)
  if (/[^\s,]/.test(unescaped(text).replaceAll(PEM, ''))) refuse('contains text other than keys')
  return blocks.map(
    (block, index) => signingKey(block) ?? refuse(`${nth(index, blocks.length)}${NO_SIGNING_KEY}`),
  )
})

/** Returns the keys of a `signingKeysSetting`, one PEM each. */
export const signingKeysOf = (setting: string): string[] => setting.match(PEM) ?? []

/** Limit of a quota, for one user or for all users together. */
export const quotaSetting = z.coerce
  .number('must be a whole number')
  .int('must be a whole number')
  .min(1, 'must be at least 1')
/** Settings of services that store user data. */
export const storageSettings = {
  STORAGE_ALARM_BYTES: quotaSetting
    .default(20 * 1024 ** 3)
    .describe('Capacity in bytes that the alert StorageNearlyFull measures against.'),
}
export const LOG_LEVELS = ['fatal', 'error', 'warn', 'info', 'debug', 'trace', 'silent'] as const

/** `name=value`, separated by commas, values percent-encoded: OpenTelemetry's format. */
const headersSetting = z
  .string()
  .default('')
  .transform((text, context) => {
    const headers: Record<string, string> = {}
    for (const part of text.split(',').filter(each => each.trim() !== '')) {
      const [, name, value] = /^\s*([\w-]+)\s*=\s*(\S.*?)\s*$/.exec(part) ?? []
      try {
        if (name === undefined || value === undefined) throw new URIError('no name=value')
        headers[name] = decodeURIComponent(value)
      } catch {
        // The value may be a key: the message must not repeat it.
        context.addIssue('must be name=value, separated by commas')
        return z.NEVER
      }
    }
    return headers
  })

/** Settings of trace export; the names are OpenTelemetry's. */
export const tracingSettings = {
  OTEL_EXPORTER_OTLP_ENDPOINT: urlSetting('http', 'https')
    .optional()
    .describe('Base URL of an OTLP/HTTP collector. If unset, requests are not traced.'),
  OTEL_EXPORTER_OTLP_HEADERS: headersSetting.describe(
    'Headers of each export: `name=value`, separated by commas, percent-encoded. May contain a secret.',
  ),
  OTEL_EXPORTER_OTLP_PROTOCOL: z
    .enum(['http/protobuf', 'http/json'])
    .default('http/protobuf')
    .describe('`http/protobuf` or `http/json`. JSON takes more time and bytes.'),
  OTEL_TRACES_SAMPLER_ARG: z.coerce
    .number('must be a number')
    .min(0)
    .max(1)
    .default(1)
    .describe('Share of requests that are traced, 0 to 1.'),
}

/** Settings with each service's URL. */
const serviceUrls = Object.fromEntries(
  SERVICE_NAMES.map(name => [`${name.toUpperCase()}_URL`, urlSetting('http', 'https').optional()]),
) as Record<`${Uppercase<ServiceName>}_URL`, z.ZodOptional<z.ZodString>>

/** Settings of every service; each service's schema extends them. `*_URL` are the other services' internal URLs. */
export const serviceConfigSchema = z.object({
  HOST: z.string().default('127.0.0.1').describe('Address to listen on.'),
  PORT: portSetting
    .default(0)
    .describe('Port to listen on. 0 takes a free one. `npm start` listens on 8080.'),
  LOG_LEVEL: z
    .enum(LOG_LEVELS)
    .default('info')
    .describe('`fatal`, `error`, `warn`, `info`, `debug`, `trace` or `silent`.'),
  REDIS_URL: urlSetting('redis', 'rediss').describe(
    'One Redis or Valkey for all parts, with an append-only file and `maxmemory-policy noeviction`. `npm start` starts one.',
  ),
  REDIS_PREFIX: z
    .string()
    .regex(/^[\w-]+$/)
    .default('iodine')
    .describe('Prefix of every Redis key. Deployments with different prefixes can share one Redis.'),
  SERVICE_KEY: z
    .string()
    .refine(keys => keys.split(',').every(key => key.length >= 16), 'must have at least 16 characters')
    .describe(
      'Secret of at least 16 characters for internal requests. Several, separated by commas, are accepted during a rotation; the first is sent.',
    ),
  RATE_LIMITS: z.enum(['on', 'off']).default('on').describe('`off` for load tests.'),
  DRAIN_MS: z.coerce
    .number()
    .int()
    .min(0)
    .max(30_000)
    .default(2_000)
    .describe(
      'Milliseconds for which a stopping process accepts requests. Must exceed the keep-alive time of its clients.',
    ),
  ...serviceUrls,
  ...tracingSettings,
})
export type ServiceConfig = z.output<typeof serviceConfigSchema>

/** Settings of a service with its own database. */
export const storeConfigSchema = serviceConfigSchema.extend({
  MONGODB_URI: urlSetting('mongodb', 'mongodb+srv').describe(
    'URL of a replica set, which transactions require. Each service may have its own. `npm start` starts an embedded database.',
  ),
  MONGODB_PREFIX: z
    .string()
    .regex(/^[\w-]+$/)
    .default('iodine')
    .describe('Databases are named `{prefix}_{service}`.'),
  ROLE: z
    .enum(['all', 'api', 'jobs'])
    .default('all')
    .describe(
      '`api` leaves recurring tasks and heavy work to other processes of the service. `jobs` and `all` do them.',
    ),
})
export type StoreConfig = z.output<typeof storeConfigSchema>
