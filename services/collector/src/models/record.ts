import type { Source } from '@iodine/contracts'
import { SOURCES } from '@iodine/contracts'
import { type Connection, createQuotas } from '@iodine/service-kit'
import { type AnyBulkWriteOperation, type Model, Schema, type Types } from 'mongoose'
import type { CollectorConfig } from '../config.js'

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
  /** Size of `data` as JSON; absent in what was stored before sizes were counted, until its user's usage is built. */
  bytes?: number
}

/** What a record counts for in its user's quota. */
export const bytesOf = (data: Record<string, unknown>): number => Buffer.byteLength(JSON.stringify(data))

const required = true
const schema = new Schema<RecordDoc>(
  {
    user_id: { type: Schema.Types.ObjectId, required },
    source: { type: String, enum: SOURCES, required },
    key: { type: String, required },
    fetched_at: { type: Date, required },
    created_at: { type: Date, required },
    data: { type: Schema.Types.Mixed, required },
    bytes: Number,
  },
  { collection: 'records', versionKey: false, minimize: false },
)
schema.index({ user_id: 1, source: 1, key: 1 }, { unique: true })
schema.index({ user_id: 1, source: 1, created_at: -1, _id: -1 })

/** What is counted of a user's records: the quotas, and how many there are of each source. */
export type Counted = 'records' | 'record_bytes' | Source

const WEIGHED = 500

/** Notes the size of records that were stored without. */
const weigh = async (records: Model<RecordDoc>, user_id: Types.ObjectId): Promise<void> => {
  for (;;) {
    const docs = await records
      .find({ user_id, bytes: { $exists: false } }, { data: 1, fetched_at: 1 })
      .limit(WEIGHED)
      .lean<RecordDoc[]>()
    if (docs.length === 0) return
    await records.bulkWrite(
      docs.map(({ _id, fetched_at, data }) => ({
        updateOne: { filter: { _id, fetched_at }, update: { $set: { bytes: bytesOf(data) } } },
      })) as AnyBulkWriteOperation<RecordDoc>[],
    )
  }
}

export const createRecordModels = (
  mongo: Connection,
  { QUOTA_RECORDS, QUOTA_RECORD_BYTES }: Pick<CollectorConfig, 'QUOTA_RECORDS' | 'QUOTA_RECORD_BYTES'>,
) => {
  const records = mongo.model<RecordDoc>('Record', schema)
  const quotas = createQuotas<Counted>({
    mongo,
    limits: { records: QUOTA_RECORDS, record_bytes: QUOTA_RECORD_BYTES },
    owners: () => records.distinct('user_id'),
    prepare: async owner => owner && weigh(records, owner),
    async count(user_id, session) {
      const bySource = await records
        .aggregate<{ _id: Source; n: number; bytes: number }>([
          { $match: { user_id } },
          { $group: { _id: '$source', n: { $sum: 1 }, bytes: { $sum: '$bytes' } } },
        ])
        .session(session)
      const sum = (of: 'n' | 'bytes') => bySource.reduce((total, each) => total + each[of], 0)
      return {
        records: sum('n'),
        record_bytes: sum('bytes'),
        ...Object.fromEntries(bySource.map(({ _id, n }) => [_id, n])),
      }
    },
  })
  return { mongo, records, quotas }
}
export type RecordModels = ReturnType<typeof createRecordModels>

/** Whose records, and of which source. */
export type RecordScope = Pick<RecordDoc, 'user_id' | 'source'>
