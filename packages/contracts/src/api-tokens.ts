import { z } from 'zod'
import { LIMITS } from './limits.js'
import { filledText, id, time, timestamp } from './primitives.js'
import { API_SCOPES } from './vocabulary.js'

/** Prefix of each token: distinguishes it from session tokens, and lets secret scanners find it. */
export const API_TOKEN_PREFIX = 'iodine_api_'

const scopes = z.array(z.enum(API_SCOPES))

/** API token of a script. The token itself is shown once, at creation. */
export const apiToken = z.strictObject({
  id,
  name: z.string(),
  scopes,
  created_at: time,
  expires_at: time,
  /** To the minute; null: never. */
  last_used_at: time.nullable(),
})
export type ApiToken = z.output<typeof apiToken>

export const newApiToken = z.strictObject({
  name: filledText(LIMITS.apiTokenNameMax),
  scopes: scopes
    .min(1, 'must name at least one')
    .refine(given => new Set(given).size === given.length, 'must name each once'),
  expires_at: timestamp
    .refine(at => Date.parse(at) > Date.now(), 'must be in the future')
    .refine(at => Date.parse(at) <= Date.now() + LIMITS.apiTokenMs, 'must be within a year'),
})
