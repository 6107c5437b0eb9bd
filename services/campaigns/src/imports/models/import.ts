import { IMPORT_FORMATS, IMPORT_STATES } from '@iodine/contracts'
import type { PiecePosition } from '@iodine/exchange/intake'
import { type DocOf, defineSchema, typed } from '@iodine/service-kit'
import { type Model, type QueryFilter, Schema, type Types } from 'mongoose'

/** States that clients do not see: the file is being stored, or the import is being removed. */
const HIDDEN_STATES = ['receiving', 'removing'] as const

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
  comments: 0,
  refused_comments: 0,
  discussion: { added: 0, known: 0, left_out: 0 },
} as const

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

/** Counts of quotes or comments. */
type Outcome = Record<'added' | 'known' | 'left_out', number>

const required = true
export const importSchema = defineSchema('imports', {
  campaign_id: { type: Schema.Types.ObjectId, required },
  /** Null once the account is deleted. */
  user_id: { type: Schema.Types.ObjectId, default: null },
  /** Subscription whose runs it imports; absent for an uploaded file. */
  subscription_id: Schema.Types.ObjectId,
  format: { type: String, enum: IMPORT_FORMATS, required },
  /** SHA-256 of the file, hexadecimal; empty for a subscription. */
  sha256: { type: String, default: '' },
  bytes: { type: Number, required },
  state: { type: String, enum: [...IMPORT_STATES, ...HIDDEN_STATES], required },
  /** Whether IODs are made of the objects that stand for one. */
  makes_iods: { type: Boolean, required },
  problem: { type: String, default: null },
  /** `import_id` of the parts of a subscription's latest run; absent for a file, whose parts have the import's id. */
  batch: Schema.Types.ObjectId,
  /** Position of the next object of a subscription. */
  next_order: Number,
  /** Number of its parts, and of those that the plan or the application has completed. */
  parts: { type: Number, required },
  cursor: { type: Number, required },
  objects: { type: Number, required },
  done: { type: Number, required },
  iods: { type: Number, required },
  known_iods: { type: Number, required },
  member_iods: { type: Number, required },
  refused: { type: Number, required },
  /** Number of unreadable objects and events, which are omitted. */
  skipped: { type: Number, required },
  /** The first of the skipped objects, then of the refused ones. Only read where selected. */
  invalid: {
    type: typed<{ place: string; value: string; reason: string }[]>(Schema.Types.Mixed),
    default: undefined,
    select: false,
  },
  quotes: { type: Number, required },
  refused_quotes: { type: Number, required },
  evidence: { type: typed<Outcome>(Schema.Types.Mixed), required },
  comments: { type: Number, default: 0 },
  refused_comments: { type: Number, default: 0 },
  discussion: { type: typed<Outcome>(Schema.Types.Mixed), default: undefined },
  /** Objects that the campaign keeps from it, once it is applied or has stopped. */
  kept: {
    type: typed<{ bytes: number; types: { type: string; objects: number }[] }>(Schema.Types.Mixed),
    default: null,
  },
  /** Strictest level in it: an index into `TLP_LEVELS`; null if nothing is marked. */
  tlp: { type: Number, default: null },
  /** Markings that the file defines, by their ids. */
  markings: {
    type: typed<{ id: string; tlp: number | null }[]>(Schema.Types.Mixed),
    required,
    select: false,
  },
  /** Level of the whole file: an index into `TLP_LEVELS`. Like the fields up to `new_events`, read where selected. */
  file_tlp: { type: Number, default: null, select: false },
  /** Ids of the techniques that the file as a whole names, and of those that its objects name. */
  techniques: { type: [String], default: undefined, select: false },
  named: { type: [String], default: undefined, select: false },
  /** The first technique ids of objects that the DISARM list lacks. */
  unnamed: { type: [String], default: undefined, select: false },
  /** Positions of the first objects of its events; `new_events` are those of a subscription's current run. */
  events: { type: [Number], default: undefined, select: false },
  new_events: { type: [Number], default: undefined, select: false },
  created_at: { type: Date, required },
  /** Time of the removal of a waiting plan, or of an import that keeps nothing; else null. */
  expires_at: { type: Date, default: null },
})
/** An imported file, with the progress of its plan or application. */
export type ImportDoc = DocOf<typeof importSchema>
importSchema.index({ campaign_id: 1, sha256: 1 })
importSchema.index({ user_id: 1 })

export const importPartSchema = defineSchema(
  'import_parts',
  {
    import_id: { type: Schema.Types.ObjectId, required },
    n: { type: Number, required },
    /** Position of its first object in the file, from 0. */
    first: { type: Number, required },
    /** The concatenated objects, and the end offset of each. */
    raw: { type: Buffer, required },
    ends: { type: [Number], required },
    /** Position of each object, in formats with positions. */
    places: { type: typed<(PiecePosition | null)[]>(Schema.Types.Mixed), default: undefined },
  },
  // Places may contain empty objects.
  { minimize: false },
)
/** Consecutive objects of an imported file, stored until it is applied. */
export type ImportPartDoc = DocOf<typeof importPartSchema>
importPartSchema.index({ import_id: 1, n: 1 }, { unique: true })

/** Returns the id of the user who imports; null for a pulled feed and a deleted account. */
export const actorOf = ({ subscription_id, user_id }: ImportDoc): string | null =>
  subscription_id ? null : (user_id?.toHexString() ?? null)
