import { z } from 'zod'
import { apiToken } from './api-tokens.js'
import { internalEndpoint } from './endpoint.js'
import { evidence, importedQuote, scoredRange, seal, sha256 } from './evidence.js'
import { iod, iodCounts, newIod } from './iods.js'
import { LIMITS } from './limits.js'
import { extraction } from './narratives.js'
import { filledText, id, time, timestamp } from './primitives.js'
import {
  BLOB_ROLES,
  EVIDENCE_KINDS,
  EXTRACTION_FAILURES,
  FEED_KEY_READS,
  SOURCES,
  TLP_LEVELS,
} from './vocabulary.js'

export const sessionState = z.strictObject({ user_id: id, scope: z.enum(['full', 'collector']) })
/** User and permissions of a live session. */
export type SessionState = z.output<typeof sessionState>

export const userCard = z.strictObject({ id, username: z.string().nullable(), created_at: time })
export type UserCard = z.output<typeof userCard>

const ids = z.strictObject({ ids: z.array(id).max(5_000) })
const byId = z.strictObject({ id })

/** State of an IOD for files of other tools, in versions. */
export const iodStatement = z.strictObject({
  /** The name that the ids of its objects are derived from: the same in each deployment. */
  uid: z.string(),
  /** Confidence of STIX: its consensus in percent, 0 to 100; null if no vote counts. */
  confidence: z.int().nullable(),
  /** Start of this version. */
  since: time,
  /** Level of the file that the IOD came from; null if it was not imported. */
  tlp: z.enum(TLP_LEVELS).nullable(),
  /** Times at which its comments were edited, by the comment's id; unedited ones are omitted. */
  edited: z.record(id, time).optional(),
})
export type IodStatement = z.output<typeof iodStatement>

export const authInternal = {
  checkSession: internalEndpoint('POST /internal/sessions/check', {
    summary: 'The user of a valid session; 404 for an invalid one. Refreshes the cached response',
    body: z.strictObject({ sid: z.string().max(100) }),
    response: sessionState,
  }),
  lookupUsers: internalEndpoint('POST /internal/users/lookup', {
    summary: 'Names of users; unknown and deleted ones are omitted',
    body: ids,
    response: z.array(userCard),
  }),
  findQuotable: internalEndpoint('POST /internal/users/quotable', {
    summary: 'Those of these users who allow that public reports quote their IODs',
    body: ids,
    response: z.array(id),
  }),
  findUsers: internalEndpoint('POST /internal/users/find', {
    summary: 'Users by name, ignoring case; deleted ones are omitted',
    body: z.strictObject({ usernames: z.array(z.string()) }),
    response: z.array(userCard),
  }),
  checkFeedKey: internalEndpoint('POST /internal/feed-keys/check', {
    summary:
      'The owner of the feed key with this hash, and a service token valid for a minute; 404 unless the key and its account are valid',
    body: z.strictObject({ hash: z.string().max(100) }),
    response: z.strictObject({ id, user_id: id, reads: z.enum(FEED_KEY_READS), token: z.string() }),
  }),
  checkApiToken: internalEndpoint('POST /internal/api-tokens/check', {
    summary:
      'The owner of the API token with this hash, and a service token; 404 unless the API token and its account are valid',
    body: z.strictObject({ hash: z.string().max(100) }),
    response: apiToken
      .pick({ id: true, scopes: true, expires_at: true })
      .extend({ user_id: id, token: z.string() }),
  }),
  getSealedAiKey: internalEndpoint('GET /internal/users/:id/ai-key', {
    summary: "A user's AI key as stored: sealed, readable only with SECRETS_KEY and the user's id",
    params: byId,
    response: z.strictObject({ sealed: z.string().nullable() }),
  }),
  checkAdmin: internalEndpoint('POST /internal/users/:id/admin', {
    summary:
      'Whether the account is an administrator; false if it is suspended or deleted. 403 with the reason for a session without administration rights',
    params: byId,
    /** `passkey`: the session must have been opened by a passkey. */
    body: z.strictObject({ sid: z.string().max(100).optional(), passkey: z.literal(true).optional() }),
    response: z.strictObject({ is_admin: z.boolean() }),
  }),
  sealFeedSecret: internalEndpoint('POST /internal/feed-secrets/seal', {
    summary: 'Encrypts the credentials of a subscription: readable only with SECRETS_KEY, its id and its URL',
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
    summary: 'IODs by id; unknown ones are omitted',
    body: ids,
    response: z.array(iod),
  }),
  knownIods: internalEndpoint('POST /internal/iods/known', {
    summary: 'The ids of existing IODs; cheaper than the IODs with their votes and names',
    body: ids,
    response: z.array(id),
  }),
  countIods: internalEndpoint('POST /internal/iods/count', {
    summary: 'Numbers of existing IODs with these ids, of their votes and comments',
    body: ids,
    response: iodCounts.extend({ votes: z.int(), comments: z.int() }),
  }),
  findIods: internalEndpoint('POST /internal/iods/find', {
    summary:
      'The ids of the IODs with these categories and values, in the given order; null for a missing one',
    body: z.strictObject({
      iods: z
        .array(z.strictObject({ category: newIod.shape.category, value: newIod.shape.value }))
        .max(LIMITS.upsertIodsMax),
    }),
    response: z.array(id.nullable()),
    bodyLimit: 8 * LIMITS.bodyBytes,
  }),
  upsertIods: internalEndpoint('POST /internal/iods/bring', {
    summary:
      'Finds IODs by category and value, and creates missing ones in the name of a user; idempotent. IODs that the same import created before receive its strictest level. 413 without a change if they exceed the user’s quotas',
    body: z.strictObject({
      user_id: id,
      import_id: id.optional(),
      iods: z
        .array(z.strictObject({ iod: newIod, tlp: z.enum(TLP_LEVELS).nullable() }))
        .max(LIMITS.upsertIodsMax),
    }),
    response: z.array(z.strictObject({ id, created: z.boolean() })),
    bodyLimit: 8 * LIMITS.bodyBytes,
  }),
  getLevels: internalEndpoint('POST /internal/iods/levels', {
    summary: 'The levels of IODs that imports have marked; others are omitted',
    body: z.strictObject({ ids: z.array(id).max(LIMITS.levelsMax) }),
    response: z.record(id, z.enum(TLP_LEVELS)),
  }),
  compareIods: internalEndpoint('POST /internal/iods/compare', {
    summary:
      'Of groups of IODs, those created from a time until before another: their number, first and last time, and by pairs what two groups have in common; pairs without anything are omitted',
    body: z.strictObject({
      from: time,
      until: time,
      groups: z.array(z.array(id).max(LIMITS.analyzedMembersMax)).max(LIMITS.analyzedCampaignsMax),
    }),
    response: z.strictObject({
      groups: z.array(z.strictObject({ iods: z.int(), first: time.nullable(), last: time.nullable() })),
      pairs: z.array(
        z.strictObject({ a: z.int(), b: z.int(), iods: z.int(), accounts: z.int(), domains: z.int() }),
      ),
    }),
    bodyLimit: 4 * LIMITS.bodyBytes,
  }),
  containIods: internalEndpoint('POST /internal/iods/contained', {
    summary:
      'Whether one of the texts of each entry contains the value of an IOD created up to a time, as `POST /iods/lookup` finds values',
    body: z.strictObject({
      entries: z
        .array(z.strictObject({ texts: z.array(z.string()), until: time }))
        .max(LIMITS.comparedRecordsMax),
    }),
    response: z.array(z.boolean()),
    bodyLimit: 4 * LIMITS.bodyBytes,
  }),
  stateIods: internalEndpoint('POST /internal/iods/statements', {
    summary: 'State of IODs for files of other tools; unknown IODs are omitted',
    body: z.strictObject({ ids: z.array(id).max(LIMITS.consensusMax) }),
    response: z.record(id, iodStatement),
  }),
} as const

/** A quote that was verified against the stored text. */
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
      'Verifies a quote at its position in a capture or record; 404 if the user may not read it, 409 unless sealed, 422 if the quote differs. If a sealed capture of the user contains the same record, the capture is quoted',
    body: quoteBody.extend({
      capture_id: id.optional(),
      record: z.strictObject({ source: z.enum(SOURCES), id }).optional(),
    }),
    response: checkedQuote,
  }),
  getSeals: internalEndpoint('POST /internal/captures/seals', {
    summary: 'Seals of captures, and whether the user may open them; unknown and erased ones are omitted',
    body: ids.extend({ user_id: id }),
    response: z.array(z.strictObject({ id, seal, shared: z.boolean(), open: z.boolean() })),
  }),
  getCollectors: internalEndpoint('POST /internal/captures/collectors', {
    summary: 'Name and version of the software of shared captures; others are omitted',
    body: ids,
    response: z.array(z.strictObject({ id, collector: z.string() })),
  }),
  getDueAnchor: internalEndpoint('GET /internal/captures/anchor', {
    summary:
      'The newest checkpoint’s size and signed text, or null if it is time-stamped or the log is empty',
    response: z.strictObject({ due: z.strictObject({ size: z.int(), text: z.string() }).nullable() }),
  }),
  storeAnchor: internalEndpoint('POST /internal/captures/anchor', {
    summary:
      'Store an RFC 3161 token for a checkpoint; 404 for an unknown size, 422 for a token for other data',
    body: z.strictObject({
      size: z.int().min(1),
      tsa: z.url().max(500),
      token: z.base64().max(LIMITS.timestampTokenMax),
    }),
    response: z.strictObject({ size: z.int() }),
  }),
  redactCapture: internalEndpoint('POST /internal/captures/:id/redact', {
    summary: 'Erase a capture of any user, and store the reason; idempotent. Returns its position in the log',
    params: byId,
    body: z.strictObject({ reason: filledText(LIMITS.reasonMax) }),
    response: z.strictObject({ seq: z.int().nullable() }),
  }),
} as const

export const evidenceInternal = {
  citedCaptures: internalEndpoint('POST /internal/evidence/cited', {
    summary: 'The captures that evidence quotes',
    body: ids,
    response: z.array(id),
  }),
  getCaptureEvidence: internalEndpoint('POST /internal/evidence/of-capture', {
    summary: 'The evidence that quotes a capture, for its WACZ: at most 1,000',
    body: z.strictObject({ capture_id: id }),
    response: z.array(evidence.omit({ seal: true, open: true, shared: true }).extend({ value: z.string() })),
  }),
  redactEvidence: internalEndpoint('POST /internal/evidence/redact', {
    summary: 'Delete a piece of evidence by its id, or all evidence of a capture by the capture’s id',
    body: byId,
    response: z.strictObject({ deleted: z.int() }),
  }),
  upsertEvidence: internalEndpoint('POST /internal/evidence/bring', {
    summary:
      'Adds quotes of an export to IODs in the name of a user, as `POST /iods/:id/evidence/import` does; idempotent',
    body: z.strictObject({
      user_id: id,
      iods: z
        .array(z.strictObject({ id, quotes: z.array(importedQuote).max(LIMITS.iodEvidenceMax) }))
        .max(LIMITS.upsertIodsMax),
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

/** `cite`: position of the triplet in the text; null if not found. Workers of a previous version omit it. */
const extractedTriplets = z
  .array(extraction.shape.triplets.element.extend({ cite: scoredRange.nullable().optional() }))
  .max(LIMITS.tripletsMax)

export const narrativesInternal = {
  getExtractionWork: internalEndpoint('GET /internal/narratives/:id/work', {
    summary: 'Input of the extraction worker; 404 once the narrative is deleted or finished',
    params: byId,
    // `sealed_key`: the user's AI key, if a waiting request has just read it.
    response: z.strictObject({ user_id: id, text: z.string(), sealed_key: z.string().optional() }),
  }),
  checkQuote: internalEndpoint('POST /internal/narratives/:id/quote', {
    summary:
      'Verifies a quote at its position in a narrative of the user; 404 if it is not theirs, 422 if the quote differs',
    params: byId,
    body: quoteBody.omit({ role: true, pointer: true }),
    response: checkedQuote,
  }),
  getText: internalEndpoint('POST /internal/narratives/:id/text', {
    summary: 'The text of an analyzed narrative; 404 if it is not the user’s',
    params: byId,
    body: z.strictObject({ user_id: id }),
    response: z.strictObject({ text: z.string(), src: z.string().nullable() }),
  }),
  finishExtraction: internalEndpoint('POST /internal/narratives/:id/result', {
    summary: 'Store the triplets or the failure, once; idempotent',
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
