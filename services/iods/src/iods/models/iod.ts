import { CATEGORIES, foldText, SOURCE_TYPES, VOTE_TYPES, type VoteType } from '@iodine/contracts'
import { type DocOf, defineSchema, type GramLengths, gramsOf, typed } from '@iodine/service-kit'
import { type Model, Schema, type Types } from 'mongoose'

export interface VoteDoc {
  _id: Types.ObjectId
  /** Null once the account is deleted. */
  user_id: Types.ObjectId | null
  vote_type: VoteType
  created_at: Date
}

export type IodModel = Model<IodDoc>

/** Maximum code points of a folded description that a search reads. */
const DESCRIPTION_SEARCHED = 2_000
/** Longer n-grams are stored too, as most trigrams occur in too many IODs. */
export const GRAM_LENGTHS: GramLengths = { longest: 10 }

/** Returns the fields that a search reads. NUL, which queries cannot contain, prevents matches across the texts. */
export const searchFields = ({
  value,
  description,
}: Pick<IodDoc, 'value' | 'description'>): Pick<IodDoc, 'search' | 'ngrams'> => {
  const texts = [foldText(value), [...foldText(description)].slice(0, DESCRIPTION_SEARCHED).join('')]
  return { search: texts.join('\0'), ngrams: gramsOf(texts, GRAM_LENGTHS) }
}

/** Returns the fields that order lists. */
export const rankFields = (
  votes: Pick<VoteDoc, 'vote_type'>[],
): Pick<IodDoc, 'votes_total' | 'votes_disputed'> => {
  const positive = votes.filter(({ vote_type }) => vote_type === 'POSITIVE').length
  return { votes_total: votes.length, votes_disputed: Math.min(positive, votes.length - positive) }
}

/** Returns the number of an IOD's votes of a type, as an aggregation expression. */
export const votesOf = (vote_type: VoteType) => ({
  $size: { $filter: { input: '$votes', cond: { $eq: ['$$this.vote_type', vote_type] } } },
})

/**
 * Next revision, as an update expression: the database's time, but later than the previous revision, so that no two
 * states of an IOD share one.
 */
export const RAISED = { $max: ['$$NOW', { $add: ['$revision', 1] }] }

const required = true
const vote = new Schema<VoteDoc>({
  user_id: { type: Schema.Types.ObjectId, default: null },
  vote_type: { type: String, enum: VOTE_TYPES, required },
  created_at: { type: Date, required },
})

export const iodSchema = defineSchema('iods', {
  // First, so that a search finds the field without reading the others.
  /** Folded texts that a search reads. Neither they nor `ngrams` are read by default. */
  search: { type: String, required, select: false },
  value: { type: String, required },
  category: { type: String, enum: CATEGORIES, required },
  // Mongoose's `required` rejects empty strings, but a description may be empty.
  description: { type: String, default: '' },
  source_type: { type: String, enum: SOURCE_TYPES, required },
  source: { type: String, default: null },
  source_id: { type: Number, default: null },
  /** Null once the account is deleted. */
  created_by: { type: Schema.Types.ObjectId, default: null },
  created_at: { type: Date, required },
  votes: { type: [vote], required },
  /** Number of votes. */
  votes_total: { type: Number, required },
  /** Votes of the smaller side: how disputed the IOD is. */
  votes_disputed: { type: Number, required },
  /** Type of most votes, since more than half of the votes were of one type. Not read by default. */
  vote_lead: { type: String, enum: VOTE_TYPES, select: false },
  /** Number of votes at the last event that is not published yet. Not read by default. */
  vote_news: { type: Number, select: false },
  /** Number of its comments; absent before the first. */
  comment_count: Number,
  /** Hash of the folded value, of hashtags without their sign. Unique within a category, and the key of lookups. */
  fold_key: { type: String, required },
  /** Time of the last change of the IOD or its votes, set by `RAISED`. Not read by default. */
  revision: { type: Date, required, select: false },
  /** UUID in STIX and MISP files. Neither it nor `stated` is read by default. */
  uid: { type: String, required, select: false },
  /** Confidence that such files state, in percent, and the time of its first statement. */
  stated: { type: typed<{ confidence: number | null; at: Date }>(Schema.Types.Mixed), select: false },
  /** Level of the file that it was imported from: an index into `TLP_LEVELS`. Not read by default. */
  tlp: { type: Number, select: false },
  /** Import that created it: a later part of the file may raise its level. Not read by default. */
  import_id: { type: Schema.Types.ObjectId, select: false },
  /** Domains, hashtags and accounts in its texts, as `termsOf` returns them. Not read by default. */
  terms: { type: [String], default: undefined, select: false },
  /** The n-grams of `search`. */
  ngrams: { type: [Number], required, select: false },
})
export type IodDoc = DocOf<typeof iodSchema>

/** Order of the list, newest first, and its index. */
export const BY_DATE = { created_at: -1, _id: -1 } as const
/** Orders of the list. Date and id break ties. */
export const ORDERS = {
  created: BY_DATE,
  votes: { votes_total: -1, ...BY_DATE },
  disputed: { votes_disputed: -1, ...BY_DATE },
} as const
/** Index prefixes: equality conditions on them select an ordered part of the index. */
export const BY = {
  /** For any choice of categories and source types: a filter by one of them lists all values of the other. */
  kind: { category: 1, source_type: 1 },
  creator: { created_by: 1 },
  source: { source: 1 },
  gram: { ngrams: 1 },
  term: { terms: 1 },
  id: { _id: 1 },
} as const

iodSchema.index({ fold_key: 1, category: 1 }, { unique: true })
iodSchema.index(BY_DATE)
iodSchema.index({ ...BY.gram, ...BY_DATE })
iodSchema.index({ ...BY.term, ...BY_DATE }, { sparse: true })
for (const order of Object.values(ORDERS)) {
  iodSchema.index({ ...BY.kind, ...order })
  iodSchema.index({ ...BY.creator, ...order })
  iodSchema.index({ ...BY.source, ...order }, { partialFilterExpression: { source: { $gt: '' } } })
}
// For the export and the deletion of an account.
iodSchema.index({ 'votes.user_id': 1 })
// For the events of votes that are not published yet.
iodSchema.index({ vote_news: 1 }, { sparse: true })
// For the newest votes.
iodSchema.index({ 'votes.created_at': 1 }, { sparse: true })
/** Order of changes, and its index. */
export const BY_REVISION = { revision: 1 } as const
iodSchema.index(BY_REVISION)
