import { z } from 'zod'
import { endpoint } from './endpoint.js'
import { LIMITS } from './limits.js'
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
  value => /^https?:[^\s\p{Cc}]+$/u.test(value) && URL.canParse(value),
  'must be an http(s) URL',
)
const mediaType = z
  .string()
  .regex(/^[a-z]+\/[a-z0-9.+-]+$/, 'must be a media type')
  .max(100)

/** A part of a capture. `url`: where media was loaded from. Media of more than 2 MiB has its hash alone. */
export const manifestBlob = z.strictObject({
  role: z.enum(BLOB_ROLES),
  sha256,
  bytes: z.int().min(0),
  type: mediaType,
  url: webAddress.optional(),
  /** The bytes are not handed over: the hash alone. */
  absent: z.literal(true).optional(),
})
export type ManifestBlob = z.output<typeof manifestBlob>

/** What a collector hands over of a page. Its hash is the SHA-256 of its canonical JSON (RFC 8785). */
export const manifest = z.strictObject({
  v: z.literal(1),
  source: z.enum(SOURCES),
  url: webAddress,
  captured_at: timestamp,
  trigger: z.enum(CAPTURE_TRIGGERS),
  /** Name and version of the software: 'iodine-collector/1.4.0'. */
  collector: text(100).min(1),
  /** Name of the rule that made the text from the DOM: `PROJECTION` of `@iodine/evidence`. */
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

/** That a leaf is in the log of this size (RFC 9162, 2.1.3). */
export const inclusionProof = z.strictObject({
  seq: z.int(),
  size: z.int(),
  leaf_hash: sha256,
  path: hashes,
})
export type InclusionProof = z.output<typeof inclusionProof>

/** The preimage of a leaf, SHA-256(0x00 ‖ canonical JSON of the three), and its place. */
export const seal = z.strictObject({
  seq: z.int(),
  manifest_hash: sha256,
  received_at: time,
  /** 16 random bytes, base64url: without it a hash of what was erased could be tried out. */
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

/** Captures: in the collector's service. */
export const capturesApi = {
  createCapture: endpoint('collector', 'POST /captures', {
    scopes: ['collect'],
    summary:
      'Hand in the manifest of a capture; 200 when it is known already. `missing`: the blobs that are still to be sent. At most 3 captures may be open at once (409)',
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
    summary: 'Seal a capture whose blobs are complete; may be repeated. 409 with what is missing',
    params: byId,
    response: sealed,
  }),
  listCaptures: endpoint('user', 'GET /captures', {
    scopes: ['read'],
    summary: "The caller's captures, newest first; those of some records by `record_id`",
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
    summary: 'The bytes of a blob, as a download; pictures as such',
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
    summary: 'Show the content of an own capture to everybody, or to nobody else',
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

/** The public log of seals: in the collector's service. */
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
    summary: 'That the log of size `from` is the beginning of the log of size `to` (RFC 9162, 2.1.4)',
    query: z.strictObject({ from: z.coerce.number().int().min(1), to: z.coerce.number().int().min(1) }),
    response: z.strictObject({ from: z.int(), to: z.int(), path: hashes }),
  }),
  getInclusion: endpoint('anyone', 'GET /seals/:seq/proof', {
    summary: 'That a leaf is in the log of a size, by default the newest checkpoint’s',
    params: z.strictObject({ seq: z.coerce.number().int().min(0) }),
    query: z.strictObject({ size: z.coerce.number().int().min(1).optional() }),
    response: inclusionProof,
  }),
} as const

/** A quoted place: UTF-16 offsets into the text that `role` and `pointer` name. */
const place = {
  role: z.enum(BLOB_ROLES).default('text'),
  /** RFC 6901 pointer into a record; empty for a text. */
  pointer: text(500).default(''),
  start: z.int().min(0),
  end: z.int().min(1),
  exact: text().min(1, 'must not be empty'),
}

const quoted = z.strictObject(place)
/** Exactly one of `capture_id`, `record` and `narrative_id` says what is quoted. */
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

/** A quote that another system has handed on: nothing here has checked it. */
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
    error: 'must be as far from start as exact is long',
  })
export type ImportedQuote = z.output<typeof importedQuote>

export const evidence = z.strictObject({
  id,
  iod_id: id,
  kind: z.enum(EVIDENCE_KINDS),
  /** Null for quotes of a record or narrative that no capture seals, and once it is erased. */
  capture_id: id.nullable(),
  ...quoted.shape,
  prefix: z.string(),
  suffix: z.string(),
  /** How the quoted words and the IOD's value relate. */
  relation: z.enum(QUOTE_RELATIONS),
  url: z.string().nullable(),
  captured_at: timestamp.nullable(),
  /** Null without a sealed capture, and once it is erased. */
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

/** Evidence of IODs: in the IODs' service. */
export const evidenceApi = {
  countEvidence: endpoint('user', 'POST /iods/evidence/counts', {
    scopes: ['read'],
    summary: 'Numbers of the evidence of IODs; those without any are left out',
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
      'Quote a capture, record or narrative for an IOD; 404 where the caller may not read it, 409 when it is quoted already or not sealed yet, 413 when IOD or caller have enough, 422 when the words are not there or not about the IOD',
    params: byIod,
    body: newEvidence,
    response: evidence,
    status: 201,
  }),
  importEvidence: endpoint('user', 'POST /iods/:id/evidence/import', {
    scopes: ['contribute'],
    summary:
      'Add quotes of an export as evidence of the kind `imported`, which nothing has checked. `known`: are there already; `left_out`: do not say the IOD’s value, or find no room',
    params: byIod,
    body: z.strictObject({ quotes: z.array(importedQuote).min(1).max(LIMITS.importedQuotesMax) }),
    response: z.strictObject({ added: z.int(), known: z.int(), left_out: z.int() }),
  }),
  deleteEvidence: endpoint('user', 'DELETE /iods/:id/evidence/:evidence_id', {
    summary: 'Delete evidence that the caller has added',
    params: byIod.extend({ evidence_id: id }),
    response: z.strictObject({ id }),
  }),
} as const

/** Where a narrative says what a triplet says: UTF-16 offsets into its text. */
export const citation = z.strictObject({
  triplet_id: z.int(),
  start: z.int(),
  end: z.int(),
})
export type Citation = z.output<typeof citation>

/** A found citation; `score` tells from 0 to 1 how closely the words agree. */
export const scoredPlace = z.strictObject({ start: z.int(), end: z.int(), score: z.number() })
