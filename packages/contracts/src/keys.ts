import { z } from 'zod'
import { internalEndpoint } from './endpoint.js'
import { LIMITS } from './limits.js'
import { id, time } from './primitives.js'
import { KEY_SETTINGS } from './vocabulary.js'

/** What is sealed with SECRETS_KEY. */
export const SEALED_KINDS = ['ai_keys', 'feed_secrets', 'mails', 'queued_mails'] as const

const knownKey = z.strictObject({
  setting: z.enum(KEY_SETTINGS),
  /** Derived from the key. */
  id: z.string(),
  /** `missing`: it was in use, and the setting has it no more. `lost`: the setting says so. */
  place: z.enum(['first', 'other', 'lost', 'missing']),
  /** When a process last had it in the first place, to a minute. Null: never. */
  used_at: time.nullable(),
  /** Until when what was made with it, and is stored nowhere, may be shown: tokens, challenges. */
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
      'Seals what subscriptions sign in with by the present key: the same text where nothing changes, null where no key opens it',
    body: z.strictObject({
      values: z
        .array(z.strictObject({ id, url: z.string().max(LIMITS.feedUrlMax), sealed: z.string() }))
        .max(LIMITS.resealedAtOnce),
    }),
    response: z.array(z.string().nullable()),
  }),
} as const

/** Served by the services that store what is sealed with SECRETS_KEY. */
export const secretsInternal = {
  countSealed: internalEndpoint('GET /internal/secrets', {
    summary: 'Numbers of sealed values by kind and key',
    response: z.array(sealedCount),
  }),
} as const
