import { BLOB_ROLES, EVIDENCE_KINDS, QUOTE_RELATIONS } from '@iodine/contracts'
import { type DocOf, defineSchema } from '@iodine/service-kit'
import { type Model, Schema } from 'mongoose'

const required = true
/** Mongoose's `required` rejects empty strings. */
const text = { type: String, default: '' } as const
export const evidenceSchema = defineSchema(
  'evidence',
  {
    iod_id: { type: Schema.Types.ObjectId, required },
    kind: { type: String, enum: EVIDENCE_KINDS, required },
    /** Set for the kind `capture` only. Remains when the capture is erased. */
    capture_id: { type: Schema.Types.ObjectId, default: null },
    role: { type: String, enum: BLOB_ROLES, required },
    /** RFC 6901 pointer into a record; empty for a text. */
    pointer: text,
    /** UTF-16 offsets into the text that role and pointer name. */
    start: { type: Number, required },
    end: { type: Number, required },
    exact: { type: String, required },
    prefix: text,
    suffix: text,
    relation: { type: String, enum: QUOTE_RELATIONS, required },
    /** Null without a seal. */
    manifest_hash: { type: String, default: null },
    seq: { type: Number, default: null },
    url: { type: String, default: null },
    captured_at: { type: String, default: null },
    /** Hash of the quote, the unique key of evidence without a seal; null with a seal. */
    quote_key: { type: String, default: null },
    /** Null once the account is deleted. */
    created_by: { type: Schema.Types.ObjectId, default: null },
    created_at: { type: Date, required },
  },
  { id: false },
)
/** A quote of an IOD from a sealed capture, a record, a narrative or another system's export. */
export type EvidenceDoc = DocOf<typeof evidenceSchema>
export type EvidenceModel = Model<EvidenceDoc>

/** Order of an IOD's evidence, oldest first, and its index. */
export const BY_IOD = { iod_id: 1, created_at: 1, _id: 1 } as const
evidenceSchema.index(BY_IOD)
evidenceSchema.index(
  { iod_id: 1, manifest_hash: 1, pointer: 1, start: 1, end: 1 },
  { unique: true, partialFilterExpression: { manifest_hash: { $gt: '' } } },
)
evidenceSchema.index(
  { iod_id: 1, quote_key: 1 },
  { unique: true, partialFilterExpression: { quote_key: { $gt: '' } } },
)
evidenceSchema.index({ capture_id: 1 }, { partialFilterExpression: { kind: 'capture' } })
evidenceSchema.index({ created_by: 1 })

/** Number of an IOD's pieces of evidence. Each change of its evidence writes this document, which serializes them. */
export const evidenceCountSchema = defineSchema(
  'evidence_counts',
  {
    /** The IOD's id. */
    _id: { type: Schema.Types.ObjectId, required },
    n: { type: Number, required },
  },
  { id: false },
)

const TEXTS = ['pointer', 'exact', 'prefix', 'suffix', 'url'] as const

/** Returns the bytes that evidence uses of its author's quota. */
export const evidenceBytes = (doc: Pick<EvidenceDoc, (typeof TEXTS)[number]>): number =>
  TEXTS.reduce((bytes, name) => bytes + Buffer.byteLength(doc[name] ?? ''), 0)

/** `evidenceBytes` as an aggregation expression. */
export const EVIDENCE_BYTES = {
  $add: TEXTS.map(name => ({ $strLenBytes: { $ifNull: [`$${name}`, ''] } })),
}
