import { IMPORT_FORMATS, IMPORT_STATES, type ImportFormat, type ImportState } from '@iodine/contracts'
import type { PiecePosition } from '@iodine/exchange/intake'
import { type Model, type QueryFilter, Schema, type Types } from 'mongoose'

/** States that clients do not see: the file is being stored, or the import is being removed. */
const HIDDEN_STATES = ['receiving', 'removing'] as const
type StoredState = ImportState | (typeof HIDDEN_STATES)[number]

/** Maximum time to store a file, after which its import expires. */
export const RECEIVING_MS = 10 * 60_000

/** Initial counts of an import. */
export const NO_COUNTS = {
  done: 0,
  iods: 0,
  known_iods: 0,
  member_iods: 0,
  refused: 0,
  skipped: 0,
  quotes: 0,
  refused_quotes: 0,
  evidence: { added: 0, known: 0, left_out: 0 },
} as const

/** An imported file, with the progress of its plan or application. */
export interface ImportDoc {
  _id: Types.ObjectId
  campaign_id: Types.ObjectId
  /** Null once the account is deleted. */
  user_id: Types.ObjectId | null
  /** Subscription whose runs it imports; absent for an uploaded file. */
  subscription_id?: Types.ObjectId
  format: ImportFormat
  /** SHA-256 of the file, hexadecimal; empty for a subscription. */
  sha256: string
  bytes: number
  state: StoredState
  /** Whether IODs are made of the objects that stand for one. */
  makes_iods: boolean
  problem: string | null
  /** `import_id` of the parts of a subscription's latest run; absent for a file, whose parts have the import's id. */
  batch?: Types.ObjectId
  /** Position of the next object of a subscription. */
  next_order?: number
  /** Number of its parts, and of those that the plan or the application has completed. */
  parts: number
  cursor: number
  objects: number
  done: number
  iods: number
  known_iods: number
  member_iods: number
  refused: number
  /** Number of unreadable objects and events, which are omitted. */
  skipped: number
  /** The first of the skipped objects, then of the refused ones. Only read where selected. */
  invalid?: { place: string; value: string; reason: string }[]
  quotes: number
  refused_quotes: number
  evidence: { added: number; known: number; left_out: number }
  /** Objects that the campaign keeps from it, once it is applied or has stopped. */
  kept: { bytes: number; types: { type: string; objects: number }[] } | null
  /** Strictest level in it: an index into `TLP_LEVELS`; null if nothing is marked. */
  tlp: number | null
  /** Markings that the file defines, by their ids. */
  markings: { id: string; tlp: number | null }[]
  /** Level of the whole file: an index into `TLP_LEVELS`. Like the fields up to `new_events`, read where selected. */
  file_tlp?: number | null
  /** Ids of the techniques that the file as a whole names, and of those that its objects name. */
  techniques?: string[]
  named?: string[]
  /** The first technique ids of objects that the DISARM list lacks. */
  unnamed?: string[]
  /** Positions of the first objects of its events; `new_events` are those of a subscription's current run. */
  events?: number[]
  new_events?: number[]
  created_at: Date
  /** Time of the removal of a waiting plan, or of an import that keeps nothing; else null. */
  expires_at: Date | null
}
export type ImportModel = Model<ImportDoc>

/**
 * Returns the filter of the imports whose objects a campaign may keep: from before the first object is stored until the
 * last one is removed.
 */
export const keptFrom = (campaign_id: Types.ObjectId): QueryFilter<ImportDoc> => ({
  campaign_id,
  // An import with `expires_at` keeps neither objects nor a level.
  $or: [{ state: { $in: ['applying', 'removing'] } }, { kept: { $ne: null }, expires_at: null }],
})

/** Consecutive objects of an imported file, stored until it is applied. */
export interface ImportPartDoc {
  _id: Types.ObjectId
  import_id: Types.ObjectId
  n: number
  /** Position of its first object in the file, from 0. */
  first: number
  /** The concatenated objects, and the end offset of each. */
  raw: Buffer
  ends: number[]
  /** Position of each object, in formats with positions. */
  places?: (PiecePosition | null)[]
}

const required = true
export const importSchema = new Schema<ImportDoc>(
  {
    campaign_id: { type: Schema.Types.ObjectId, required },
    user_id: { type: Schema.Types.ObjectId, default: null },
    subscription_id: Schema.Types.ObjectId,
    format: { type: String, enum: IMPORT_FORMATS, required },
    sha256: { type: String, default: '' },
    bytes: { type: Number, required },
    state: { type: String, enum: [...IMPORT_STATES, ...HIDDEN_STATES], required },
    makes_iods: { type: Boolean, required },
    problem: { type: String, default: null },
    batch: Schema.Types.ObjectId,
    next_order: Number,
    parts: { type: Number, required },
    cursor: { type: Number, required },
    objects: { type: Number, required },
    done: { type: Number, required },
    iods: { type: Number, required },
    known_iods: { type: Number, required },
    member_iods: { type: Number, required },
    refused: { type: Number, required },
    skipped: { type: Number, required },
    invalid: { type: [Schema.Types.Mixed], default: undefined, select: false } as never,
    quotes: { type: Number, required },
    refused_quotes: { type: Number, required },
    evidence: { type: Schema.Types.Mixed, required },
    kept: { type: Schema.Types.Mixed, default: null },
    tlp: { type: Number, default: null },
    markings: { type: [Schema.Types.Mixed], select: false } as never,
    file_tlp: { type: Number, default: null, select: false },
    techniques: { type: [String], default: undefined, select: false },
    named: { type: [String], default: undefined, select: false },
    unnamed: { type: [String], default: undefined, select: false },
    events: { type: [Number], default: undefined, select: false },
    new_events: { type: [Number], default: undefined, select: false },
    created_at: { type: Date, required },
    expires_at: { type: Date, default: null },
  },
  { collection: 'imports', versionKey: false },
)
importSchema.index({ campaign_id: 1, sha256: 1 })
importSchema.index({ user_id: 1 })

export const importPartSchema = new Schema<ImportPartDoc>(
  {
    import_id: { type: Schema.Types.ObjectId, required },
    n: { type: Number, required },
    first: { type: Number, required },
    raw: { type: Buffer, required },
    ends: { type: [Number], required },
    places: { type: Schema.Types.Mixed, default: undefined },
  },
  // Places may contain empty objects.
  { collection: 'import_parts', versionKey: false, minimize: false },
)
importPartSchema.index({ import_id: 1, n: 1 }, { unique: true })
