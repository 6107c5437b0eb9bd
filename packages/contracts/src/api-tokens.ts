import { z } from 'zod'
import { LIMITS } from './limits.js'
import { filledText, id, time, timestamp } from './primitives.js'
import { API_SCOPES } from './vocabulary.js'

/** Begins each token, so that it is told from a session's, and found by tools that look for leaked secrets. */
export const API_TOKEN_PREFIX = 'iodine_api_'

const scopes = z.array(z.enum(API_SCOPES))

/** A token that a script calls the API with. The token itself is shown once, when it is made. */
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
