import { SERVICE_NAMES, type ServiceName } from '@iodine/contracts'
import { z } from 'zod'

/** A wrong environment: every fault at once. */
export class ConfigError extends Error {
  override name = 'ConfigError'
  readonly faults: string[]
  constructor(faults: string[]) {
    super(`The configuration is wrong:\n${faults.map(fault => `  - ${fault}`).join('\n')}`)
    this.faults = faults
  }
}

/** Environment → typed config. Empty values count as absent. Throws ConfigError. */
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
      // MongoDB's addresses may list several hosts, which no other URL does.
      const single = value.replace(/,[^/]*/, '')
      return URL.canParse(single) && protocols.includes(new URL(single).protocol.slice(0, -1))
    },
    `must be a URL with ${protocols.join(' or ')}`,
  )
export const switchSetting = z
  .enum(['true', 'false'], 'must be true or false')
  .transform(value => value === 'true')
/** 32 bytes, base64. */
export const keySetting = z
  .string()
  .refine(
    value => /^[A-Za-z0-9+/_-]+=*$/.test(value) && Buffer.from(value, 'base64').length === 32,
    'must be 32 bytes in base64',
  )
/** How much a user, or all of them, may have of something. */
export const quotaSetting = z.coerce
  .number('must be a whole number')
  .int('must be a whole number')
  .min(1, 'must be at least 1')
/** What a service reads that keeps what users send. */
export const storageSettings = {
  /** What the alarm on growth takes for all the room there is. */
  STORAGE_ALARM_BYTES: quotaSetting.default(20 * 1024 ** 3),
}
export const LOG_LEVELS = ['fatal', 'error', 'warn', 'info', 'debug', 'trace', 'silent'] as const

/** `name=value`, separated by commas, values percent-encoded: OpenTelemetry's own form. */
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
        // The value may be a key: it is not repeated.
        context.addIssue('must be name=value, separated by commas')
        return z.NEVER
      }
    }
    return headers
  })

/** Where traces go, if anywhere; the names are OpenTelemetry's. */
export const tracingSettings = {
  /** Base address of a collector that takes OTLP over HTTP. */
  OTEL_EXPORTER_OTLP_ENDPOINT: urlSetting('http', 'https').optional(),
  OTEL_EXPORTER_OTLP_HEADERS: headersSetting,
  /** Share of requests that are traced. */
  OTEL_TRACES_SAMPLER_ARG: z.coerce.number('must be a number').min(0).max(1).default(1),
}

/** Where each service is. */
const addresses = Object.fromEntries(
  SERVICE_NAMES.map(name => [`${name.toUpperCase()}_URL`, urlSetting('http', 'https').optional()]),
) as Record<`${Uppercase<ServiceName>}_URL`, z.ZodOptional<z.ZodString>>

/** What every service reads; a service's own schema extends it. Peers are the other services' internal addresses. */
export const serviceConfigSchema = z.object({
  HOST: z.string().default('127.0.0.1'),
  PORT: portSetting.default(0),
  LOG_LEVEL: z.enum(LOG_LEVELS).default('info'),
  REDIS_URL: urlSetting('redis', 'rediss'),
  /** Prefix of every Redis key, so that several deployments can share one Redis. */
  REDIS_PREFIX: z
    .string()
    .regex(/^[\w-]+$/)
    .default('iodine'),
  /**
   * Shared by the deployment's services; internal routes refuse calls without it. Several, separated by commas, are all
   * taken while the first is shown to others: so it is replaced one service after the other.
   */
  SERVICE_KEY: z
    .string()
    .refine(keys => keys.split(',').every(key => key.length >= 16), 'must have at least 16 characters'),
  RATE_LIMITS: z.enum(['on', 'off']).default('on'),
  /** How long a process that was told to end goes on taking requests, until whoever sends them knows: longer than clients keep unused connections. */
  DRAIN_MS: z.coerce.number().int().min(0).max(30_000).default(2_000),
  ...addresses,
  ...tracingSettings,
})
export type ServiceConfig = z.output<typeof serviceConfigSchema>

/** What a service with a database of its own reads. */
export const storeConfigSchema = serviceConfigSchema.extend({
  MONGODB_URI: urlSetting('mongodb', 'mongodb+srv'),
  /** Databases are named `{prefix}_{service}`. */
  MONGODB_PREFIX: z
    .string()
    .regex(/^[\w-]+$/)
    .default('iodine'),
})
export type StoreConfig = z.output<typeof storeConfigSchema>
