import { foldText } from '@iodine/contracts'
import { type DocOf, defineSchema, type GramLengths, gramsOf } from '@iodine/service-kit'
import { type Model, Schema, type Types } from 'mongoose'

/** A technique of DISARM that a campaign uses. */
export interface TechniqueDoc {
  /** DISARM's id. */
  id: string
  /** User who added it; null once the account is deleted. */
  by: Types.ObjectId | null
  at: Date
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
export const BY_TECHNIQUE = { 'techniques.id': 1, ...BY_DATE } as const
export const BY_SIZE = { iod_count: -1, ...BY_DATE } as const
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
export const campaignSchema = defineSchema('campaigns', {
  // First, so that a search finds the field without reading the others.
  /** Folded name that a search reads. Neither it nor `ngrams` is read by default. */
  search: { type: String, required, select: false },
  name: { type: String, required },
  // Mongoose's `required` rejects empty strings, but a description may be empty.
  description: { type: String, default: '' },
  /** Null once the account is deleted. */
  created_by: { type: Schema.Types.ObjectId, default: null },
  created_at: { type: Date, required },
  /** Time of the last change of its sharing or of its exports' content, by the database's clock. Not read by default. */
  changed_at: { type: Date, required, select: false },
  /** Length of `iod_ids`, updated atomically with it, so that lists need not read the ids. */
  iod_count: { type: Number, required },
  /** Number of its comments; absent before the first. */
  comment_count: Number,
  /** Members in the order of their addition. Only read where selected. */
  iod_ids: { type: [Schema.Types.ObjectId], select: false },
  /** In the order of their addition. Only read where selected. */
  techniques: { type: [techniqueSchema], default: undefined, select: false },
  /** Time of the last addition of a quote of a technique; orders additions. Not read by default. */
  quoted_at: { type: Date, select: false },
  /** Level of its exports, set by its creator: an index into `TLP_LEVELS`. Not read by default. */
  tlp: { type: Number, select: false },
  /** Whether its creator publishes it. Not read by default. */
  published: { type: Boolean, select: false },
  /** The n-grams of `search`. */
  ngrams: { type: [Number], required, select: false },
})
export type CampaignDoc = DocOf<typeof campaignSchema>
campaignSchema.index(BY_DATE)
campaignSchema.index({ created_by: 1, ...BY_DATE })
campaignSchema.index(BY_IOD)
campaignSchema.index(BY_SIZE)
campaignSchema.index(BY_GRAM)
campaignSchema.index(BY_TECHNIQUE, { sparse: true })
// For the export and the deletion of an account.
campaignSchema.index({ 'techniques.by': 1 }, { sparse: true })
