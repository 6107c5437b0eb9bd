import { foldText, type IodCounts } from '@iodine/contracts'
import { type GramLengths, gramsOf } from '@iodine/service-kit'
import { type Model, Schema, type Types } from 'mongoose'

/** Stored statistics of a campaign's first members, the base of later counts. */
export interface CountedMembers extends IodCounts {
  /** Number of leading members that the counts include. */
  members: number
  /** Members removed since, which the counts still include. */
  removed: Types.ObjectId[]
  votes: number
  /** The counts include votes up to this time. */
  until: Date
  /** Time of the last count from scratch. */
  begun: Date
}

/** A technique of DISARM that a campaign uses. */
export interface TechniqueDoc {
  /** DISARM's id. */
  id: string
  /** User who added it; null once the account is deleted. */
  by: Types.ObjectId | null
  at: Date
}

export interface CampaignDoc {
  _id: Types.ObjectId
  name: string
  description: string
  /** Null once the account is deleted. */
  created_by: Types.ObjectId | null
  created_at: Date
  /** Time of the last change of its sharing or of its exports' content, by the database's clock. Not read by default. */
  changed_at: Date
  /** Length of `iod_ids`, updated atomically with it, so that lists need not read the ids. */
  iod_count: number
  /** Members in the order of their addition. Only read where selected. */
  iod_ids?: Types.ObjectId[]
  /** In the order of their addition. Only read where selected. */
  techniques?: TechniqueDoc[]
  /** Only read where selected. */
  counted?: CountedMembers
  /** Number of removals: counts from before a removal are not stored after it. Only read where selected. */
  removals?: number
  /** Level of its exports, set by its creator: an index into `TLP_LEVELS`. Not read by default. */
  tlp?: number
  /** Whether its creator publishes it. Not read by default. */
  published?: boolean
  /** Folded name that a search reads. Neither it nor `ngrams` is read by default. */
  search: string
  /** The n-grams of `search`. */
  ngrams: number[]
}
export type CampaignModel = Model<CampaignDoc>

export const GRAM_LENGTHS: GramLengths = { longest: 10 }

/** Returns the fields that a search by name reads. */
export const searchFields = ({ name }: Pick<CampaignDoc, 'name'>): Pick<CampaignDoc, 'search' | 'ngrams'> => {
  const search = foldText(name)
  return { search, ngrams: gramsOf([search], GRAM_LENGTHS) }
}

/** Update operator that records the time of a change. */
export const CHANGED = { $currentDate: { changed_at: true } } as const

/** Order of lists, newest first. */
const BY_DATE = { created_at: -1, _id: -1 } as const
/** Indexes of filtered lists. */
export const BY_IOD = { iod_ids: 1, ...BY_DATE } as const
export const BY_GRAM = { ngrams: 1, ...BY_DATE } as const

const required = true
const techniqueSchema = new Schema<TechniqueDoc>(
  {
    id: { type: String, required },
    by: { type: Schema.Types.ObjectId, default: null },
    at: { type: Date, required },
  },
  // `id` is the technique's id, not the virtual getter of Mongoose.
  { _id: false, id: false },
)
export const campaignSchema = new Schema<CampaignDoc>(
  {
    // First, so that a search finds the field without reading the others.
    search: { type: String, required, select: false },
    name: { type: String, required },
    // Mongoose's `required` rejects empty strings, but a description may be empty.
    description: { type: String, default: '' },
    created_by: { type: Schema.Types.ObjectId, default: null },
    created_at: { type: Date, required },
    changed_at: { type: Date, required, select: false },
    iod_count: { type: Number, required },
    iod_ids: { type: [Schema.Types.ObjectId], select: false },
    techniques: { type: [techniqueSchema], default: undefined, select: false },
    counted: { type: Schema.Types.Mixed, select: false },
    removals: { type: Number, select: false },
    tlp: { type: Number, select: false },
    published: { type: Boolean, select: false },
    ngrams: { type: [Number], required, select: false },
  },
  { collection: 'campaigns', versionKey: false },
)
campaignSchema.index(BY_DATE)
campaignSchema.index({ created_by: 1, ...BY_DATE })
campaignSchema.index(BY_IOD)
campaignSchema.index(BY_GRAM)
// For the export and the deletion of an account.
campaignSchema.index({ 'techniques.by': 1 }, { sparse: true })
