import type { Source } from '@iodine/contracts'
import { SOURCES } from '@iodine/contracts'
import { type Connection, createQuotas } from '@iodine/service-kit'
import { type AnyBulkWriteOperation, type Model, Schema, type Types } from 'mongoose'
import type { CollectorConfig } from '../config.js'

export interface RecordDoc {
  _id: Types.ObjectId
  user_id: Types.ObjectId
  source: Source
  /** Hash of the record's natural key. A URL may exceed the size limit of an index key. */
  key: string
  /** The record's fetch_timestamp. */
  fetched_at: Date
  /** Time of the first insert. Lists are sorted by it, so that a newer version keeps its position. */
  created_at: Date
  /** The record as sent, with `imageHashes` as pairs, as its keys may contain dots and dollar signs. */
  data: Record<string, unknown>
  /** Size of `data` as JSON. Absent in old records until their user's usage is computed. */
  bytes?: number
}

/** The bytes that a record takes of its user's quota. */
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

/** Counters per user: the quotas, and the number of records of each source. */
export type Counted = 'records' | 'record_bytes' | Source

const WEIGHED = 500

/** Adds the size to records that lack it. */
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

/** Selects the records of a user and a source. */
export type RecordScope = Pick<RecordDoc, 'user_id' | 'source'>
