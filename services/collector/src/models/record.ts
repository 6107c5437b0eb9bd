import type { Source } from '@iodine/contracts'
import { SOURCES } from '@iodine/contracts'
import type { Connection } from '@iodine/service-kit'
import { type Model, Schema, type Types } from 'mongoose'

export interface RecordDoc {
  _id: Types.ObjectId
  user_id: Types.ObjectId
  source: Source
  /** Hash of the record's natural key, as a URL may be longer than an index takes. */
  key: string
  /** The record's fetch_timestamp. */
  fetched_at: Date
  /** When the record first came in: what the list is sorted by, so that a newer version keeps its place. */
  created_at: Date
  /** The record as sent, save `imageHashes`: a list of pairs, since its keys may hold dots and dollars. */
  data: Record<string, unknown>
}

const required = true
const schema = new Schema<RecordDoc>(
  {
    user_id: { type: Schema.Types.ObjectId, required },
    source: { type: String, enum: SOURCES, required },
    key: { type: String, required },
    fetched_at: { type: Date, required },
    created_at: { type: Date, required },
    data: { type: Schema.Types.Mixed, required },
  },
  { collection: 'records', versionKey: false, minimize: false },
)
schema.index({ user_id: 1, source: 1, key: 1 }, { unique: true })
schema.index({ user_id: 1, source: 1, created_at: -1, _id: -1 })

/** How many records a user has of a source, changed in the transaction that adds or deletes them. */
export interface CountDoc {
  _id: string
  n: number
}

const countSchema = new Schema<CountDoc>(
  { _id: { type: String, required }, n: { type: Number, required } },
  { collection: 'counts', versionKey: false },
)

export interface RecordModels {
  mongo: Connection
  records: Model<RecordDoc>
  counts: Model<CountDoc>
}

export const createRecordModels = (mongo: Connection): RecordModels => ({
  mongo,
  records: mongo.model<RecordDoc>('Record', schema),
  counts: mongo.model<CountDoc>('Count', countSchema),
})

/** Whose records, and of which source. */
export type Shelf = Pick<RecordDoc, 'user_id' | 'source'>

export const countId = ({ user_id, source }: Shelf): string => `${user_id.toHexString()}:${source}`
