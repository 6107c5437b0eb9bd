import { foldText, type IodCounts } from '@iodine/contracts'
import { type GramLengths, gramsOf } from '@iodine/service-kit'
import { type Model, Schema, type Types } from 'mongoose'

/** Statistics of a campaign's first members at some time, to which what came later is added. */
export interface CountedMembers extends IodCounts {
  /** The first so many members are in the numbers. */
  members: number
  /** Members that were removed since. They are in the numbers, too. */
  removed: Types.ObjectId[]
  votes: number
  /** Votes until then are in the numbers. */
  until: Date
  /** When the count began from nothing. */
  begun: Date
}

/** A technique of DISARM that a campaign uses. */
export interface TechniqueDoc {
  /** DISARM's id. */
  id: string
  /** Who added it; null once the account is deleted. */
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
  /** When its name, description, members, techniques or kept objects last changed: the database's time. Not read by default. */
  changed_at: Date
  /** Length of `iod_ids`, updated atomically with it, so that lists need not read the ids. */
  iod_count: number
  /** Members in the order of their addition. Only read where selected. */
  iod_ids?: Types.ObjectId[]
  /** In the order of their addition. Only read where selected. */
  techniques?: TechniqueDoc[]
  /** Only read where selected. */
  counted?: CountedMembers
  /** Number of removals, so that what was counted before one is not stored after it. Only read where selected. */
  removals?: number
  /** Level that its creator gave its exports: a place in `TLP_LEVELS`. Not read by default. */
  tlp?: number
  /** Whether its creator publishes it. Not read by default. */
  published?: boolean
  /** The folded name, which is searched. Not read by default, as `ngrams`. */
  search: string
  /** The n-grams of `search`. */
  ngrams: number[]
}
export type CampaignModel = Model<CampaignDoc>

export const GRAM_LENGTHS: GramLengths = { longest: 10 }

/** What a search by name reads. */
export const searchFields = ({ name }: Pick<CampaignDoc, 'name'>): Pick<CampaignDoc, 'search' | 'ngrams'> => {
  const search = foldText(name)
  return { search, ngrams: gramsOf([search], GRAM_LENGTHS) }
}

/** Notes the time of a change, in updates. */
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
  // `id` is the technique's, not the virtual one of Mongoose.
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
// What a user has added, for their export and after their account's deletion.
campaignSchema.index({ 'techniques.by': 1 }, { sparse: true })
