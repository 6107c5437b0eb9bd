import { z } from 'zod'
import { internalEndpoint } from './endpoint.js'
import { LIMITS } from './limits.js'
import { id, time } from './primitives.js'
import { KEY_SETTINGS } from './vocabulary.js'

/** Kinds of values that are sealed with SECRETS_KEY. */
export const SEALED_KINDS = ['ai_keys', 'feed_secrets', 'webhook_secrets', 'mails', 'queued_mails'] as const

const knownKey = z.strictObject({
  setting: z.enum(KEY_SETTINGS),
  /** Derived from the key. */
  id: z.string(),
  /** `missing`: used before, absent from the setting. `lost`: marked as lost in the setting. */
  place: z.enum(['first', 'other', 'lost', 'missing']),
  /** When a process last had it as the first key, to a minute; null if never. */
  used_at: time.nullable(),
  /** Latest expiry of unstored tokens and challenges that were made with it. */
  needed_until: time.nullable(),
})
export type KnownKey = z.output<typeof knownKey>

const sealedCount = z.strictObject({
  kind: z.enum(SEALED_KINDS),
  /** Name of the key. */
  key: z.string(),
  count: z.int(),
})
export type SealedCount = z.output<typeof sealedCount>

/** Served by auth. */
export const keysInternal = {
  getKeys: internalEndpoint('GET /internal/keys', {
    summary: 'Names of the keys that sign sessions and seal secrets, and how long they are needed',
    response: z.array(knownKey),
  }),
  resealFeedSecrets: internalEndpoint('POST /internal/feed-secrets/reseal', {
    summary:
      'Reseals the credentials of subscriptions with the active key; an unchanged text if it is already sealed with it, null if no key opens it',
    body: z.strictObject({
      values: z
        .array(z.strictObject({ id, url: z.string().max(LIMITS.feedUrlMax), sealed: z.string() }))
        .max(LIMITS.resealedAtOnce),
    }),
    response: z.array(z.string().nullable()),
  }),
} as const

/** Served by the services that store values sealed with SECRETS_KEY. */
export const secretsInternal = {
  countSealed: internalEndpoint('GET /internal/secrets', {
    summary: 'Numbers of sealed values by kind and key',
    response: z.array(sealedCount),
  }),
} as const
