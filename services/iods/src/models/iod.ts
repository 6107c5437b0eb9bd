import type { Category, SourceType, VoteType } from '@iodine/contracts'
import { CATEGORIES, SOURCE_TYPES, VOTE_TYPES } from '@iodine/contracts'
import { type Connection, createQuotas } from '@iodine/service-kit'
import { type Model, Schema, type Types } from 'mongoose'
import type { IodsConfig } from '../config.js'

export interface VoteDoc {
  _id: Types.ObjectId
  /** Null once the account is deleted. */
  user_id: Types.ObjectId | null
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
  /** Null once the account is deleted. */
  created_by: Types.ObjectId | null
  created_at: Date
  votes: VoteDoc[]
  /** Hash of the folded value: the unique key within a category and the key of lookups. */
  fold_key: string
  /** False until the community service has the IOD. */
  announced: boolean
  /** The repair skips the IOD until this time: a notice is queued or was refused. */
  check_at?: Date
}
export type IodModel = Model<IodDoc>

const required = true
const vote = new Schema<VoteDoc>({
  user_id: { type: Schema.Types.ObjectId, default: null },
  vote_type: { type: String, enum: VOTE_TYPES, required },
  created_at: { type: Date, required },
})

const schema = new Schema<IodDoc>(
  {
    value: { type: String, required },
    category: { type: String, enum: CATEGORIES, required },
    // Mongoose's `required` rejects empty strings, but a description may be empty.
    description: { type: String, default: '' },
    source_type: { type: String, enum: SOURCE_TYPES, required },
    source: { type: String, default: null },
    source_id: { type: Number, default: null },
    created_by: { type: Schema.Types.ObjectId, default: null },
    created_at: { type: Date, required },
    votes: [vote],
    fold_key: { type: String, required },
    announced: { type: Boolean, required },
    check_at: Date,
  },
  { collection: 'iods', versionKey: false },
)

/** Sort order of every list, and its index. */
export const BY_DATE = { created_at: -1, _id: -1 } as const
schema.index({ fold_key: 1, category: 1 }, { unique: true })
schema.index(BY_DATE)
// For the export and the deletion of an account.
schema.index({ created_by: 1 })
schema.index({ 'votes.user_id': 1 })
schema.index({ announced: 1 }, { partialFilterExpression: { announced: false } })

/** A deleted user whose id the catalog of some process may still contain. */
export interface ForgottenDoc {
  _id: Types.ObjectId
  at: Date
}
const KEPT_SECONDS = 3_600
const forgottenSchema = new Schema<ForgottenDoc>(
  { at: { type: Date, required } },
  { collection: 'forgotten', versionKey: false },
)
forgottenSchema.index({ at: 1 }, { expireAfterSeconds: KEPT_SECONDS })

/** Counters per user. */
export type Counted = 'iods' | 'iods_today' | 'iod_bytes'

/** Bytes that an IOD's texts take of its creator's quota. */
export const bytesOf = ({ value, description }: Pick<IodDoc, 'value' | 'description'>): number =>
  Buffer.byteLength(value) + Buffer.byteLength(description)

type Limits = Pick<IodsConfig, 'QUOTA_IODS' | 'QUOTA_IODS_A_DAY' | 'QUOTA_IOD_BYTES'>

export const createModels = (mongo: Connection, limits: Limits) => {
  const iods = mongo.model<IodDoc>('Iod', schema)
  const quotas = createQuotas<Counted>({
    mongo,
    limits: {
      iods_today: limits.QUOTA_IODS_A_DAY,
      iods: limits.QUOTA_IODS,
      iod_bytes: limits.QUOTA_IOD_BYTES,
    },
    daily: 'iods_today',
    owners: () => iods.distinct('created_by'),
    async count(created_by, session, midnight) {
      const bytes = { $add: [{ $strLenBytes: '$value' }, { $strLenBytes: '$description' }] }
      const today = { $cond: [{ $gte: ['$created_at', midnight] }, 1, 0] }
      const [sums] = await iods
        .aggregate<Record<Counted, number>>([
          { $match: { created_by } },
          {
            $group: {
              _id: null,
              iods: { $sum: 1 },
              iods_today: { $sum: today },
              iod_bytes: { $sum: bytes },
            },
          },
          { $project: { _id: 0 } },
        ])
        .session(session)
      return sums ?? {}
    },
  })
  return { iods, forgotten: mongo.model<ForgottenDoc>('Forgotten', forgottenSchema), quotas }
}
export type IodModels = ReturnType<typeof createModels>
