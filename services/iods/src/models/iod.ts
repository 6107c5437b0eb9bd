import type { Category, SourceType, VoteType } from '@iodine/contracts'
import { CATEGORIES, SOURCE_TYPES, VOTE_TYPES } from '@iodine/contracts'
import type { Connection } from '@iodine/service-kit'
import { type Model, Schema, type Types } from 'mongoose'

export interface VoteDoc {
  _id: Types.ObjectId
  user_id: Types.ObjectId
  vote_type: VoteType
  created_at: Date
}

export interface IodDoc {
  _id: Types.ObjectId
  value: string
  category: Category
  description: string
  source_type: SourceType
  source: string | null
  source_id: number | null
  created_by: Types.ObjectId
  created_at: Date
  votes: VoteDoc[]
  /** Hash of the folded value: what makes two IODs of a category the same, and what a lookup asks for. */
  fold_key: string
  /** False until every process's catalog has been told, and the event iod.created is out. */
  announced: boolean
}
export type IodModel = Model<IodDoc>

const required = true
const vote = new Schema<VoteDoc>({
  user_id: { type: Schema.Types.ObjectId, required },
  vote_type: { type: String, enum: VOTE_TYPES, required },
  created_at: { type: Date, required },
})

const schema = new Schema<IodDoc>(
  {
    value: { type: String, required },
    category: { type: String, enum: CATEGORIES, required },
    // Mongoose counts an empty string as missing; an IOD's description may be empty.
    description: { type: String, default: '' },
    source_type: { type: String, enum: SOURCE_TYPES, required },
    source: { type: String, default: null },
    source_id: { type: Number, default: null },
    created_by: { type: Schema.Types.ObjectId, required },
    created_at: { type: Date, required },
    votes: [vote],
    fold_key: { type: String, required },
    announced: { type: Boolean, required },
  },
  { collection: 'iods', versionKey: false },
)

/** The order of every list, and the index that has it. */
export const BY_DATE = { created_at: -1, _id: -1 } as const
schema.index({ fold_key: 1, category: 1 }, { unique: true })
schema.index(BY_DATE)
schema.index({ announced: 1 }, { partialFilterExpression: { announced: false } })

export const createModel = (mongo: Connection): IodModel => mongo.model<IodDoc>('Iod', schema)
