import { z } from 'zod'
import { endpoint } from './endpoint.js'
import { LIMITS } from './limits.js'
import { parseUrl } from './parse-url.js'
import { id, pageQuery, repeatable, text, time, timestamp } from './primitives.js'
import {
  BLOB_ROLES,
  CAPTURE_STATES,
  CAPTURE_TRIGGERS,
  EVIDENCE_KINDS,
  QUOTE_RELATIONS,
  SOURCES,
} from './vocabulary.js'

/** SHA-256, hexadecimal, lower case. */
export const sha256 = z.string().regex(/^[0-9a-f]{64}$/, 'must be a SHA-256 in lower-case hexadecimal')
const hashes = z.array(sha256)
// Parsers of URLs skip line ends, which would begin further headers in a web archive.
const webAddress = text().refine(
  value => /^https?:[^\s\p{Cc}]+$/u.test(value) && parseUrl(value) !== undefined,
  'must be an http(s) URL',
)
const mediaType = z
  .string()
  .regex(/^[a-z]+\/[a-z0-9.+-]+$/, 'must be a media type')
  .max(100)

/** A part of a capture. `url`: where media was loaded from. Of media of more than 2 MiB only the hash is captured. */
export const manifestBlob = z.strictObject({
  role: z.enum(BLOB_ROLES),
  sha256,
  bytes: z.int().min(0),
  type: mediaType,
  url: webAddress.optional(),
  /** The bytes are not uploaded, only their hash. */
  absent: z.literal(true).optional(),
})
export type ManifestBlob = z.output<typeof manifestBlob>

/** Manifest of a captured page. Its hash is the SHA-256 of its canonical JSON (RFC 8785). */
export const manifest = z.strictObject({
  v: z.literal(1),
  source: z.enum(SOURCES),
  url: webAddress,
  captured_at: timestamp,
  trigger: z.enum(CAPTURE_TRIGGERS),
  /** Name and version of the software: 'iodine-collector/1.4.0'. */
  collector: text(100).min(1),
  /** Name of the rule that derives the text from the DOM: `PROJECTION` of `@iodine/evidence/dom`. */
  projection: text(100),
  blobs: z.array(manifestBlob).min(1, 'must hold a blob').max(LIMITS.captureBlobsMax),
})
export type Manifest = z.output<typeof manifest>

/** A signed state of the log of seals (a signed tree head, RFC 9162, 4.10). */
export const checkpoint = z.strictObject({
  size: z.int(),
  root: sha256,
  at: time,
  key_id: z.string(),
  /** Ed25519 (RFC 8032) over the canonical JSON of `{at, key_id, root, size}`, base64url. */
  sig: z.string(),
  /** RFC 3161 tokens over the SHA-256 of that JSON, base64. */
  anchors: z.array(z.strictObject({ tsa: z.string(), token: z.string(), at: time })),
})
export type Checkpoint = z.output<typeof checkpoint>

/** Proof that a leaf is in the log of this size (RFC 9162, 2.1.3). */
export const inclusionProof = z.strictObject({
  seq: z.int(),
  size: z.int(),
  leaf_hash: sha256,
  path: hashes,
})
export type InclusionProof = z.output<typeof inclusionProof>

/** The preimage of a leaf, SHA-256(0x00 ‖ canonical JSON of the other three fields), and its position. */
export const seal = z.strictObject({
  seq: z.int(),
  manifest_hash: sha256,
  received_at: time,
  /** 16 random bytes, base64url: prevents guessing erased content from its hash. */
  salt: z.string(),
})
export type Seal = z.output<typeof seal>

const captureState = z.enum(CAPTURE_STATES)
export const captureSummary = z.strictObject({
  id,
  source: z.enum(SOURCES),
  /** The record made from the same page, if it is the caller's. */
  record_id: id.nullable(),
  url: z.string(),
  captured_at: timestamp,
  received_at: time,
  state: captureState,
  seq: z.int().nullable(),
  shared: z.boolean(),
  bytes: z.int(),
})
export type CaptureSummary = z.output<typeof captureSummary>

export const capture = captureSummary.extend({
  /** Whether it is the caller's. */
  own: z.boolean(),
  manifest_hash: sha256,
  manifest,
  /** Null until sealed. */
  seal: seal.nullable(),
})
export type Capture = z.output<typeof capture>

export const sealed = z.strictObject({ seq: z.int(), seal, proof: inclusionProof, checkpoint })
export type Sealed = z.output<typeof sealed>

const byId = z.strictObject({ id })

/** Captures, served by the collector. */
export const capturesApi = {
  createCapture: endpoint('collector', 'POST /captures', {
    scopes: ['collect'],
    summary:
      'Send the manifest of a capture; 200 if it is already known. `missing`: the blobs that are still to be sent. At most 3 captures may be open at once (409)',
    body: manifest,
    response: z.strictObject({ id, missing: hashes }),
    status: 201,
    knownStatus: 200,
    bodyLimit: LIMITS.manifestBytes,
  }),
  putBlob: endpoint('collector', 'PUT /captures/:id/blobs/:sha256', {
    scopes: ['collect'],
    summary: 'Send the bytes of a blob; 409 once sealed, 422 when hash or size differ from the manifest',
    params: byId.extend({ sha256 }),
    raw: true,
    response: z.strictObject({ sha256, bytes: z.int() }),
    bodyLimit: LIMITS.blobBytes,
  }),
  sealCapture: endpoint('collector', 'POST /captures/:id/seal', {
    scopes: ['collect'],
    summary: 'Seal a capture whose blobs are complete; idempotent. 409 if blobs are missing',
    params: byId,
    response: sealed,
  }),
  listCaptures: endpoint('user', 'GET /captures', {
    scopes: ['read'],
    summary: "The caller's captures, newest first; with `record_id`, those of some records",
    query: z.strictObject({ record_id: repeatable(id, 100), ...pageQuery }),
    response: z.array(captureSummary),
  }),
  getCapture: endpoint('user', 'GET /captures/:id', {
    scopes: ['read'],
    summary: "A capture: the caller's own or a shared one",
    params: byId,
    response: capture,
  }),
  getCaptureText: endpoint('user', 'GET /captures/:id/text', {
    scopes: ['read'],
    summary: "A capture's text",
    params: byId,
    response: z.strictObject({ text: z.string() }),
  }),
  getBlob: endpoint('user', 'GET /captures/:id/blobs/:sha256', {
    scopes: ['read'],
    summary: 'The bytes of a blob, as a download; images are displayed',
    params: byId.extend({ sha256 }),
    response: z.unknown(),
    produces: 'application/octet-stream',
  }),
  getWacz: endpoint('user', 'GET /captures/:id/wacz', {
    scopes: ['read'],
    summary: 'The capture with its seal and evidence as WACZ 1.1.1',
    params: byId,
    response: z.unknown(),
    produces: 'application/wacz',
  }),
  shareCapture: endpoint('user', 'PATCH /captures/:id', {
    scopes: ['contribute'],
    summary: 'Share the content of an own capture, or stop sharing it',
    params: byId,
    body: z.strictObject({ shared: z.boolean() }),
    response: capture,
  }),
  deleteCapture: endpoint('user', 'DELETE /captures/:id', {
    summary: 'Erase the content of an own capture; its leaf in the log stays',
    params: byId,
    response: z.strictObject({ id }),
  }),
} as const

/** The public log of seals, served by the collector. */
export const sealsApi = {
  getCheckpoint: endpoint('anyone', 'GET /seals/checkpoint', {
    summary: 'The newest signed state of the log; 404 while it is empty',
    response: checkpoint,
  }),
  getSealKeys: endpoint('anyone', 'GET /seals/keys', {
    summary: 'The keys that sign the log, newest first',
    response: z.array(
      z.strictObject({ key_id: z.string(), algorithm: z.literal('Ed25519'), public_key: z.string() }),
    ),
  }),
  getConsistency: endpoint('anyone', 'GET /seals/consistency', {
    summary: 'Proof that the log of size `from` is a prefix of the log of size `to` (RFC 9162, 2.1.4)',
    query: z.strictObject({ from: z.coerce.number().int().min(1), to: z.coerce.number().int().min(1) }),
    response: z.strictObject({ from: z.int(), to: z.int(), path: hashes }),
  }),
  getInclusion: endpoint('anyone', 'GET /seals/:seq/proof', {
    summary: 'Proof that a leaf is in the log of a size, by default the newest checkpoint’s',
    params: z.strictObject({ seq: z.coerce.number().int().min(0) }),
    query: z.strictObject({ size: z.coerce.number().int().min(1).optional() }),
    response: inclusionProof,
  }),
} as const

/** A quoted range: UTF-16 offsets into the text that `role` and `pointer` name. */
const quotedRange = {
  role: z.enum(BLOB_ROLES).default('text'),
  /** RFC 6901 pointer into a record; empty for a text. */
  pointer: text(500).default(''),
  start: z.int().min(0),
  end: z.int().min(1),
  exact: text().min(1, 'must not be empty'),
}

const quoted = z.strictObject(quotedRange)
/** Exactly one of `capture_id`, `record` and `narrative_id` names the quoted document. */
export const newEvidence = z
  .strictObject({
    ...quoted.shape,
    capture_id: id.optional(),
    record: z.strictObject({ source: z.enum(SOURCES), id }).optional(),
    narrative_id: id.optional(),
  })
  .refine(
    ({ capture_id, record, narrative_id }) =>
      [capture_id, record, narrative_id].filter(given => given !== undefined).length === 1,
    'must name exactly one of capture_id, record and narrative_id',
  )
  .refine(({ start, end }) => end > start, { path: ['end'], error: 'must be after start' })
export type NewEvidence = z.input<typeof newEvidence>

/** A quote from the export of another system, not verified. */
export const importedQuote = z
  .strictObject({
    ...quoted.shape,
    prefix: text(LIMITS.quoteContextMax).default(''),
    suffix: text(LIMITS.quoteContextMax).default(''),
    url: webAddress.nullable().default(null),
    captured_at: timestamp.nullable().default(null),
  })
  .refine(({ start, end, exact }) => end - start === exact.length, {
    path: ['end'],
    error: 'must equal start plus the length of exact',
  })
export type ImportedQuote = z.output<typeof importedQuote>

export const evidence = z.strictObject({
  id,
  iod_id: id,
  kind: z.enum(EVIDENCE_KINDS),
  /** Null for quotes of a record or narrative without a sealed capture, and after its erasure. */
  capture_id: id.nullable(),
  ...quoted.shape,
  prefix: z.string(),
  suffix: z.string(),
  /** How the quoted words and the IOD's value relate. */
  relation: z.enum(QUOTE_RELATIONS),
  url: z.string().nullable(),
  captured_at: timestamp.nullable(),
  /** Null without a sealed capture, and after its erasure. */
  seal: seal.nullable(),
  /** Whether the caller may open the capture's content. */
  open: z.boolean(),
  /** Whether the capture's owner has shared it. */
  shared: z.boolean(),
  created_by_id: id.nullable(),
  created_by_username: z.string().nullable(),
  created_at: time,
})
export type Evidence = z.output<typeof evidence>

const byIod = z.strictObject({ id })

/** Evidence of IODs, served by the IODs' service. */
export const evidenceApi = {
  countEvidence: endpoint('user', 'POST /iods/evidence/counts', {
    scopes: ['read'],
    summary: 'Numbers of the evidence of IODs; IODs without evidence are omitted',
    body: z.strictObject({ ids: z.array(id).max(LIMITS.evidenceCountsMax) }),
    response: z.record(id, z.int()),
  }),
  listEvidence: endpoint('user', 'GET /iods/:id/evidence', {
    scopes: ['read'],
    summary: "An IOD's evidence, oldest first",
    params: byIod,
    query: z.strictObject(pageQuery),
    response: z.array(evidence),
  }),
  addEvidence: endpoint('collector', 'POST /iods/:id/evidence', {
    scopes: ['collect', 'contribute'],
    summary:
      'Quote a capture, record or narrative for an IOD; 404 if the caller may not read it, 409 if it is already quoted or not yet sealed, 413 at the limit of the IOD or the caller, 422 if the quote is not in the text or does not relate to the IOD',
    params: byIod,
    body: newEvidence,
    response: evidence,
    status: 201,
  }),
  importEvidence: endpoint('user', 'POST /iods/:id/evidence/import', {
    scopes: ['contribute'],
    summary:
      'Add quotes of an export as evidence of the kind `imported`, which is not verified. `known`: already present; `left_out`: do not quote the IOD’s value, or exceed a limit',
    params: byIod,
    body: z.strictObject({ quotes: z.array(importedQuote).min(1).max(LIMITS.importedQuotesMax) }),
    response: z.strictObject({ added: z.int(), known: z.int(), left_out: z.int() }),
  }),
  deleteEvidence: endpoint('user', 'DELETE /iods/:id/evidence/:evidence_id', {
    summary: 'Delete evidence that the caller added',
    params: byIod.extend({ evidence_id: id }),
    response: z.strictObject({ id }),
  }),
} as const

/** Position of a triplet in a narrative: UTF-16 offsets into its text. */
export const citation = z.strictObject({
  triplet_id: z.int(),
  start: z.int(),
  end: z.int(),
})
export type Citation = z.output<typeof citation>

/** A found citation; `score`: agreement of the words, from 0 to 1. */
export const scoredRange = z.strictObject({ start: z.int(), end: z.int(), score: z.number() })
