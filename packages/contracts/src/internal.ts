import { z } from 'zod'
import { apiToken } from './api-tokens.js'
import { internalEndpoint } from './endpoint.js'
import { evidence, importedQuote, scoredPlace, seal, sha256 } from './evidence.js'
import { iod, iodCounts, newIod } from './iods.js'
import { LIMITS } from './limits.js'
import { extraction } from './narratives.js'
import { filledText, id, time, timestamp } from './primitives.js'
import { BLOB_ROLES, EVIDENCE_KINDS, SOURCES, TLP_LEVELS } from './vocabulary.js'

export const sessionState = z.strictObject({ user_id: id, scope: z.enum(['full', 'collector']) })
/** User and permissions of a live session. */
export type SessionState = z.output<typeof sessionState>

export const userCard = z.strictObject({ id, username: z.string().nullable(), created_at: time })
export type UserCard = z.output<typeof userCard>

const ids = z.strictObject({ ids: z.array(id).max(5_000) })
const byId = z.strictObject({ id })

/** What files of other tools say of an IOD, in versions. */
export const iodStatement = z.strictObject({
  /** The name that the ids of its objects are derived from: the same in each deployment. */
  uid: z.string(),
  /** Confidence of STIX: its consensus in percent, 0 to 100; null while nobody's vote counts. */
  confidence: z.int().nullable(),
  /** When this version began. */
  since: time,
  /** Level of the file that the IOD came from; null if it was not imported. */
  tlp: z.enum(TLP_LEVELS).nullable(),
})
export type IodStatement = z.output<typeof iodStatement>

export const authInternal = {
  checkSession: internalEndpoint('POST /internal/sessions/check', {
    summary: 'Is this session alive, and whose is it? 404 when it is not; refreshes the cached answer',
    body: z.strictObject({ sid: z.string().max(100) }),
    response: sessionState,
  }),
  lookupUsers: internalEndpoint('POST /internal/users/lookup', {
    summary: 'Names of users; unknown and deleted ones are left out',
    body: ids,
    response: z.array(userCard),
  }),
  findUsers: internalEndpoint('POST /internal/users/find', {
    summary: 'Users by name, in any case; deleted ones are left out',
    body: z.strictObject({ usernames: z.array(z.string()) }),
    response: z.array(userCard),
  }),
  checkFeedKey: internalEndpoint('POST /internal/feed-keys/check', {
    summary:
      'Whose feed key has this hash, and a token for it that services take for a minute; 404 unless the key and its account are live',
    body: z.strictObject({ hash: z.string().max(100) }),
    response: z.strictObject({ id, user_id: id, token: z.string() }),
  }),
  checkApiToken: internalEndpoint('POST /internal/api-tokens/check', {
    summary:
      'Whose API token has this hash, and a token for it that services take; 404 unless the API token and its account are live',
    body: z.strictObject({ hash: z.string().max(100) }),
    response: apiToken
      .pick({ id: true, scopes: true, expires_at: true })
      .extend({ user_id: id, token: z.string() }),
  }),
  getSealedAiKey: internalEndpoint('GET /internal/users/:id/ai-key', {
    summary: "A user's AI key as stored: sealed, readable with SECRETS_KEY and the user's id alone",
    params: byId,
    response: z.strictObject({ sealed: z.string().nullable() }),
  }),
  checkAdmin: internalEndpoint('POST /internal/users/:id/admin', {
    summary:
      'Is this the account of an administrator? Not if it is suspended or deleted. 403 with the reason for a session that may not administer',
    params: byId,
    body: z.strictObject({ sid: z.string().max(100).optional() }),
    response: z.strictObject({ is_admin: z.boolean() }),
  }),
  sealFeedSecret: internalEndpoint('POST /internal/feed-secrets/seal', {
    summary:
      'Encrypts what a subscription signs in with at its feed: readable with SECRETS_KEY, its id and its URL alone',
    body: z.strictObject({
      id,
      url: z.string().max(LIMITS.feedUrlMax),
      secret: z.string().max(4 * LIMITS.feedSecretMax),
    }),
    response: z.strictObject({ sealed: z.string() }),
  }),
} as const

export const iodsInternal = {
  getIods: internalEndpoint('POST /internal/iods/batch', {
    summary: 'IODs by id; unknown ones are left out',
    body: ids,
    response: z.array(iod),
  }),
  knownIods: internalEndpoint('POST /internal/iods/known', {
    summary: 'Those of the ids that are IODs: far less work than the IODs with their votes and names',
    body: ids,
    response: z.array(id),
  }),
  countIods: internalEndpoint('POST /internal/iods/count', {
    summary: 'Numbers of the IODs of these ids, and of their votes: until a time, and later ones',
    body: ids.extend({ until: time }),
    response: iodCounts.extend({ votes: z.int(), later: z.int() }),
  }),
  findIods: internalEndpoint('POST /internal/iods/find', {
    summary:
      'The ids of the IODs with these categories and values, in the given order; null where there is none',
    body: z.strictObject({
      iods: z
        .array(z.strictObject({ category: newIod.shape.category, value: newIod.shape.value }))
        .max(LIMITS.broughtIodsMax),
    }),
    response: z.array(id.nullable()),
    bodyLimit: 8 * LIMITS.bodyBytes,
  }),
  bringIods: internalEndpoint('POST /internal/iods/bring', {
    summary:
      'Finds IODs by category and value, and creates those that are missing in the name of a user; repeating it creates none. What the same import has created before gets its strictest level. 413 if they do not fit into the user’s quotas: none is created then',
    body: z.strictObject({
      user_id: id,
      import_id: id.optional(),
      iods: z
        .array(z.strictObject({ iod: newIod, tlp: z.enum(TLP_LEVELS).nullable() }))
        .max(LIMITS.broughtIodsMax),
    }),
    response: z.array(z.strictObject({ id, created: z.boolean() })),
    bodyLimit: 8 * LIMITS.bodyBytes,
  }),
  getLevels: internalEndpoint('POST /internal/iods/levels', {
    summary: 'The levels of IODs that imports have marked; others are left out',
    body: z.strictObject({ ids: z.array(id).max(LIMITS.levelsMax) }),
    response: z.record(id, z.enum(TLP_LEVELS)),
  }),
  stateIods: internalEndpoint('POST /internal/iods/statements', {
    summary: 'What files of other tools say of IODs, and since when; unknown ones are left out',
    body: z.strictObject({ ids: z.array(id).max(LIMITS.consensusMax) }),
    response: z.record(id, iodStatement),
  }),
  votesSince: internalEndpoint('POST /internal/iods/votes-since', {
    summary:
      'A time until which all votes are stored, and the IODs with votes after `since`: how many until that time, and later ones. Not `complete` if there are more such IODs. None are listed without `since`',
    body: z.strictObject({ since: time.nullable() }),
    response: z.strictObject({
      until: time,
      iods: z.array(z.strictObject({ id, votes: z.int(), later: z.int() })),
      complete: z.boolean(),
    }),
  }),
} as const

/** A quote that has been checked against what is stored. */
const checkedQuote = z.strictObject({
  kind: z.enum(EVIDENCE_KINDS),
  capture_id: id.nullable(),
  prefix: z.string(),
  suffix: z.string(),
  manifest_hash: sha256.nullable(),
  seq: z.int().nullable(),
  url: z.string().nullable(),
  captured_at: timestamp.nullable(),
})
export type CheckedQuote = z.output<typeof checkedQuote>

const quoteBody = z.strictObject({
  user_id: id,
  role: z.enum(BLOB_ROLES),
  pointer: z.string(),
  start: z.int(),
  end: z.int(),
  exact: z.string(),
})

export const capturesInternal = {
  checkQuote: internalEndpoint('POST /internal/captures/quote', {
    summary:
      'Does this capture, or record, say these words there? 404 where the user may not read it, 409 unless sealed, 422 if not. A record that a sealed capture of the user says the same of is quoted from that',
    body: quoteBody.extend({
      capture_id: id.optional(),
      record: z.strictObject({ source: z.enum(SOURCES), id }).optional(),
    }),
    response: checkedQuote,
  }),
  getSeals: internalEndpoint('POST /internal/captures/seals', {
    summary: 'Seals of captures, and what the user may open; unknown and erased ones are left out',
    body: ids.extend({ user_id: id }),
    response: z.array(z.strictObject({ id, seal, shared: z.boolean(), open: z.boolean() })),
  }),
  getDueAnchor: internalEndpoint('GET /internal/captures/anchor', {
    summary:
      'The newest checkpoint’s size and signed text, or null if it is time-stamped or the log is empty',
    response: z.strictObject({ due: z.strictObject({ size: z.int(), text: z.string() }).nullable() }),
  }),
  storeAnchor: internalEndpoint('POST /internal/captures/anchor', {
    summary:
      'Keep an RFC 3161 token over a checkpoint; 404 for an unknown size, 422 for a token of anything else',
    body: z.strictObject({
      size: z.int().min(1),
      tsa: z.url().max(500),
      token: z.base64().max(LIMITS.timestampTokenMax),
    }),
    response: z.strictObject({ size: z.int() }),
  }),
  redactCapture: internalEndpoint('POST /internal/captures/:id/redact', {
    summary:
      'Erase a capture, whoever’s it is, for a reason that is kept; may be repeated. Its place in the log',
    params: byId,
    body: z.strictObject({ reason: filledText(LIMITS.reasonMax) }),
    response: z.strictObject({ seq: z.int().nullable() }),
  }),
} as const

export const evidenceInternal = {
  citedCaptures: internalEndpoint('POST /internal/evidence/cited', {
    summary: 'Those of the captures that evidence names',
    body: ids,
    response: z.array(id),
  }),
  getCaptureEvidence: internalEndpoint('POST /internal/evidence/of-capture', {
    summary: 'The evidence that quotes a capture, for its WACZ: at most 1,000',
    body: z.strictObject({ capture_id: id }),
    response: z.array(evidence.omit({ seal: true, open: true, shared: true }).extend({ value: z.string() })),
  }),
  redactEvidence: internalEndpoint('POST /internal/evidence/redact', {
    summary: 'Delete a piece of evidence by its id, or all that quotes a capture by the capture’s',
    body: byId,
    response: z.strictObject({ deleted: z.int() }),
  }),
  bringEvidence: internalEndpoint('POST /internal/evidence/bring', {
    summary:
      'Adds quotes of an export to IODs in the name of a user, as `POST /iods/:id/evidence/import` does; repeating it adds none',
    body: z.strictObject({
      user_id: id,
      iods: z
        .array(z.strictObject({ id, quotes: z.array(importedQuote).max(LIMITS.iodEvidenceMax) }))
        .max(LIMITS.broughtIodsMax),
    }),
    response: z.strictObject({ added: z.int(), known: z.int(), left_out: z.int() }),
    bodyLimit: 8 * LIMITS.bodyBytes,
  }),
  exportEvidence: internalEndpoint('POST /internal/evidence/export', {
    summary: 'The evidence of IODs as a user sees it, for exports: each IOD’s, oldest first, up to the limit',
    body: z.strictObject({
      ids: z.array(id).max(LIMITS.evidenceCountsMax),
      user_id: id,
      limit: z
        .int()
        .min(1)
        .max(LIMITS.exportedEvidenceMax + 1),
    }),
    response: z.array(evidence),
  }),
} as const

/** `cite`: where the text says the triplet; null if nowhere. Absent from workers of a version before. */
const extractedTriplets = z
  .array(extraction.shape.triplets.element.extend({ cite: scoredPlace.nullable().optional() }))
  .max(LIMITS.tripletsMax)

/** Reasons why an extraction ended without triplets. */
export const EXTRACTION_FAILURES = [
  'missing_key',
  'rejected_key',
  'rate_limited',
  'no_credit',
  'refused',
  'provider_failed',
] as const
export type ExtractionFailure = (typeof EXTRACTION_FAILURES)[number]

export const narrativesInternal = {
  getExtractionWork: internalEndpoint('GET /internal/narratives/:id/work', {
    summary: 'What the extraction worker needs; 404 once the narrative is deleted or finished',
    params: byId,
    // `sealed_key`: the user's AI key, if a waiting request has just read it.
    response: z.strictObject({ user_id: id, text: z.string(), sealed_key: z.string().optional() }),
  }),
  checkQuote: internalEndpoint('POST /internal/narratives/:id/quote', {
    summary: 'Does this narrative of the user say these words there? 404 if it is not theirs, 422 if not',
    params: byId,
    body: quoteBody.omit({ role: true, pointer: true }),
    response: checkedQuote,
  }),
  finishExtraction: internalEndpoint('POST /internal/narratives/:id/result', {
    summary: 'Store triplets or the failure, once; repeating it changes nothing',
    params: byId,
    body: z.union([
      z.strictObject({ triplets: extractedTriplets }),
      // `retry_after`: seconds until the provider accepts requests again, if known.
      z.strictObject({
        failure: z.enum(EXTRACTION_FAILURES),
        retry_after: z.int().min(1).max(86_400).optional(),
      }),
    ]),
    response: z.strictObject({ triplets_extracted: z.int() }),
    // Room for 200 triplets of maximum length, JSON-escaped.
    bodyLimit: 4 * LIMITS.bodyBytes,
  }),
} as const
