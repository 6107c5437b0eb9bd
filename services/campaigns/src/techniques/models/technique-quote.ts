import { LIMITS, type QuoteSource } from '@iodine/contracts'
import { type DocOf, defineSchema, typed } from '@iodine/service-kit'
import { type Model, Schema } from 'mongoose'

const required = true
/** Mongoose's `required` rejects empty strings. */
const text = { type: String, default: '', maxlength: LIMITS.quoteContextMax } as const
export const techniqueQuoteSchema = defineSchema(
  'technique_quotes',
  {
    campaign_id: { type: Schema.Types.ObjectId, required },
    /** DISARM's id of the technique. */
    tid: { type: String, required },
    /** Id of the narrative or evidence; the hash of a pasted text. */
    source: { type: typed<{ kind: QuoteSource; id: string }>(Schema.Types.Mixed), required },
    /** IOD and capture of the evidence; else null. */
    iod_id: { type: Schema.Types.ObjectId, default: null },
    capture_id: { type: Schema.Types.ObjectId, default: null },
    /** UTF-16 offsets into the text. */
    start: { type: Number, required },
    end: { type: Number, required },
    exact: { type: String, required, maxlength: LIMITS.techniqueQuoteChars },
    prefix: text,
    suffix: text,
    url: { type: String, default: null },
    /** User who accepted it; null once the account is deleted. */
    by: { type: Schema.Types.ObjectId, default: null },
    at: { type: Date, required },
  },
  { id: false },
)
/** Words that a technique of a campaign rests on. */
export type TechniqueQuoteDoc = DocOf<typeof techniqueQuoteSchema>
export type TechniqueQuoteModel = Model<TechniqueQuoteDoc>

/** Order of the quotes of a technique, oldest first, and its index. */
export const BY_TECHNIQUE = { campaign_id: 1, tid: 1, at: 1, _id: 1 } as const
techniqueQuoteSchema.index(BY_TECHNIQUE)
techniqueQuoteSchema.index(
  { campaign_id: 1, tid: 1, 'source.kind': 1, 'source.id': 1, start: 1, end: 1 },
  { unique: true },
)
// For the redaction of evidence, and the export and deletion of an account.
techniqueQuoteSchema.index({ 'source.id': 1 })
techniqueQuoteSchema.index(
  { capture_id: 1 },
  { partialFilterExpression: { capture_id: { $type: 'objectId' } } },
)
techniqueQuoteSchema.index({ by: 1 })
