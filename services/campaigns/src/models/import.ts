import { IMPORT_FORMATS, IMPORT_STATES, type ImportFormat, type ImportState } from '@iodine/contracts'
import type { Place } from '@iodine/exchange/intake'
import { type Model, type QueryFilter, Schema, type Types } from 'mongoose'

/** States that nobody is shown: the file is being stored, or all that came by it is being removed. */
const PASSING_STATES = ['receiving', 'removing'] as const
type StoredState = ImportState | (typeof PASSING_STATES)[number]

/** How long a file may take to be stored before it counts as given up. */
export const RECEIVING_MS = 10 * 60_000

/** States of work that is done in steps. */
export const AT_WORK = ['planning', 'applying'] as const satisfies ImportState[]

/** The counts of an import that nothing is known of yet. */
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

/** An imported file, and how far its plan or its application is. */
export interface ImportDoc {
  _id: Types.ObjectId
  campaign_id: Types.ObjectId
  /** Null once the account is deleted. */
  user_id: Types.ObjectId | null
  /** What it was pulled by, again and again; absent for a file that a user has handed in. */
  subscription_id?: Types.ObjectId
  format: ImportFormat
  /** Of the file; hexadecimal. */
  sha256: string
  bytes: number
  state: StoredState
  /** Whether IODs are made of the objects that stand for one. */
  makes_iods: boolean
  problem: string | null
  /** Where its parts are, if not under its own id: those of the latest run of a subscription. */
  batch?: Types.ObjectId
  /** The place of the next object of a subscription. */
  next_order?: number
  /** Number of its parts, and of those that the present step is through with. */
  parts: number
  cursor: number
  objects: number
  done: number
  iods: number
  known_iods: number
  member_iods: number
  refused: number
  /** Objects and events that can't be read, and are left out. */
  skipped: number
  /** The first of the skipped ones, then of the refused ones. Only read where selected. */
  invalid?: { place: string; value: string; reason: string }[]
  quotes: number
  refused_quotes: number
  evidence: { added: number; known: number; left_out: number }
  /** What the campaign keeps by it, once it is applied or has stopped. */
  kept: { bytes: number; types: { type: string; objects: number }[] } | null
  /** The strictest level in it: a place in `TLP_LEVELS`; null: nothing is marked. */
  tlp: number | null
  /** Markings that the file defines, by their ids. */
  markings: { id: string; tlp: number | null }[]
  /** Level of all that the file says: a place in `TLP_LEVELS`. Only read where selected, as what follows. */
  file_tlp?: number | null
  /** Ids of techniques that the file as a whole names, and those that the objects of its events name. */
  techniques?: string[]
  named?: string[]
  /** The first of those that the list lacks, as the objects name them. */
  unnamed?: string[]
  /** Places of the objects that its events begin with; of a subscription, those of the present run until it is through. */
  events?: number[]
  new_events?: number[]
  created_at: Date
  /** When a plan that waits is removed; null while it does not wait. */
  expires_at: Date | null
}
export type ImportModel = Model<ImportDoc>

/**
 * Selects the imports of a campaign that it may keep objects of: they count from before the first object is kept until
 * the last one is removed.
 */
export const keptFrom = (campaign_id: Types.ObjectId): QueryFilter<ImportDoc> => ({
  campaign_id,
  // Of a file without objects and levels, nothing is left but that it was done.
  $or: [{ state: { $in: ['applying', 'removing'] } }, { kept: { $ne: null }, expires_at: null }],
})

/** Neighbouring objects of an imported file, until it is applied. */
export interface ImportPartDoc {
  _id: Types.ObjectId
  import_id: Types.ObjectId
  n: number
  /** Place of its first object in the file, from 0. */
  first: number
  /** The objects one after the other, and where each ends. */
  raw: Buffer
  ends: number[]
  /** Where each stands, in files that have places. */
  places?: (Place | null)[]
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
    state: { type: String, enum: [...IMPORT_STATES, ...PASSING_STATES], required },
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
  // Places may have empty objects.
  { collection: 'import_parts', versionKey: false, minimize: false },
)
importPartSchema.index({ import_id: 1, n: 1 }, { unique: true })
