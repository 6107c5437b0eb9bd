import { z } from 'zod'
import { endpoint } from './endpoint.js'
import { iod } from './iods.js'
import { LIMITS } from './limits.js'
import { extraction } from './narratives.js'
import { id, time } from './primitives.js'

/**
 * Calls between services: never routed by the gateway, and refused without the deployment's service key.
 * `access` says nothing here.
 */
export const sessionState = z.strictObject({ user_id: id, scope: z.enum(['full', 'collector']) })
/** Whose a live session is, and what it may do. */
export type SessionState = z.output<typeof sessionState>

export const userCard = z.strictObject({ id, username: z.string().nullable(), created_at: time })
export type UserCard = z.output<typeof userCard>

const ids = z.strictObject({ ids: z.array(id).max(5_000) })
const byId = z.strictObject({ id })
const done = z.strictObject({ done: z.literal(true) })

export const authInternal = {
  checkSession: endpoint({
    method: 'POST',
    path: '/internal/sessions/check',
    access: 'anyone',
    summary: 'Is this session alive, and whose is it? 404 when it is not; refreshes the cached answer',
    body: z.strictObject({ sid: z.string().max(100) }),
    response: sessionState,
  }),
  lookupUsers: endpoint({
    method: 'POST',
    path: '/internal/users/lookup',
    access: 'anyone',
    summary: 'Names of users; unknown and deleted ones are left out',
    body: ids,
    response: z.array(userCard),
  }),
  getSealedAiKey: endpoint({
    method: 'GET',
    path: '/internal/users/:id/ai-key',
    access: 'anyone',
    summary: "A user's AI key as stored: sealed, readable with SECRETS_KEY and the user's id alone",
    params: byId,
    response: z.strictObject({ sealed: z.string().nullable() }),
  }),
} as const

export const iodsInternal = {
  getIods: endpoint({
    method: 'POST',
    path: '/internal/iods/batch',
    access: 'anyone',
    summary: 'IODs by id; unknown ones are left out',
    body: ids,
    response: z.array(iod),
  }),
  knownIods: endpoint({
    method: 'POST',
    path: '/internal/iods/known',
    access: 'anyone',
    summary: 'Those of the ids that are IODs: far less work than the IODs with their votes and names',
    body: ids,
    response: z.array(id),
  }),
} as const

/** Why an extraction ended without triplets. */
export const EXTRACTION_FAILURES = [
  'missing_key',
  'rejected_key',
  'rate_limited',
  'refused',
  'provider_failed',
] as const
export type ExtractionFailure = (typeof EXTRACTION_FAILURES)[number]

export const narrativesInternal = {
  getExtractionWork: endpoint({
    method: 'GET',
    path: '/internal/narratives/:id/work',
    access: 'anyone',
    summary: 'What the extraction worker needs; 404 once the narrative is deleted or finished',
    params: byId,
    response: z.strictObject({ user_id: id, text: z.string() }),
  }),
  finishExtraction: endpoint({
    method: 'POST',
    path: '/internal/narratives/:id/result',
    access: 'anyone',
    summary: 'Store triplets or the failure, once; repeating it changes nothing',
    params: byId,
    body: z.union([
      extraction,
      // `retry_after`: seconds until the provider takes requests again, where it said so.
      z.strictObject({
        failure: z.enum(EXTRACTION_FAILURES),
        retry_after: z.int().min(1).max(86_400).optional(),
      }),
    ]),
    response: z.strictObject({ triplets_extracted: z.int() }),
    // 200 triplets of the longest parts, with room for what JSON escapes.
    bodyLimit: 4 * LIMITS.bodyBytes,
  }),
  syncGraph: endpoint({
    method: 'POST',
    path: '/internal/narratives/:id/graph',
    access: 'anyone',
    summary: "Bring the graph's aggregates in line with one narrative; repeating it changes nothing",
    params: byId,
    response: done,
  }),
} as const

export const repairInternal = {
  repair: endpoint({
    method: 'POST',
    path: '/internal/repair',
    access: 'anyone',
    summary: 'Find and finish what a crash between a write and its event or job left behind',
    response: z.strictObject({ repaired: z.int() }),
  }),
} as const
