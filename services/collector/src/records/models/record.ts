import type { SeenValues, Source } from '@iodine/contracts'
import { NOVELTIES, SHARED_AS, SOURCES } from '@iodine/contracts'
import { type Amounts, type Connection, type DocOf, defineSchema, modelOf, typed } from '@iodine/service-kit'
import { type ClientSession, type Model, mongo, Schema, type Types } from 'mongoose'

/** A record as sent or merged, in storage form, and the observations of its values. */
export interface RecordForm {
  data: Record<string, unknown>
  seen?: SeenValues
}

/**
 * Observations that a record consists of: one layer per import that can be undone, and `base`, the merge of all others. A
 * layer without data is the only observation: it equals the record.
 */
export interface Layers {
  base?: RecordForm
  imports: ({ id: Types.ObjectId } & Partial<RecordForm>)[]
}

/** Values of a record that analyses count and lists are filtered by. */
export interface RecordFacts {
  /** Folded name. */
  account?: string
  /** In the form of `countedValue`. */
  hashtags?: string[]
  domains?: string[]
  /** Primary language tag in lower case. */
  language?: string
  posted_at?: Date
  platform: string
  /** Plays or views. */
  reach?: number
}

/** Returns the bytes of a record that count towards its user's quota. */
export const bytesOf = ({ data, seen, layers }: RecordForm & { layers?: Layers | undefined }): number =>
  [data, seen, layers].reduce<number>(
    (sum, part) => sum + (part ? Buffer.byteLength(JSON.stringify(part)) : 0),
    0,
  )

/** Below MongoDB's limit of 16 MiB, which leaves 1 MiB for the fields beside the data. */
export const DOCUMENT_BYTES = 15 * 1024 * 1024
export const isTooLarge = (document: Record<string, unknown>): boolean =>
  mongo.BSON.calculateObjectSize(document) > DOCUMENT_BYTES

/** Selects a record only if no later write changed its data. */
export const versionOf = ({
  _id,
  fetched_at,
  revision,
}: Pick<RecordDoc, '_id' | 'fetched_at' | 'revision'>) => ({
  _id,
  fetched_at,
  revision: revision ?? { $exists: false },
})

const required = true
const schema = defineSchema(
  'records',
  {
    user_id: { type: Schema.Types.ObjectId, required },
    source: { type: String, enum: SOURCES, required },
    /** Hash of the record's natural key. A URL may exceed the size limit of an index entry. */
    key: { type: String, required },
    /** The record's fetch_timestamp. */
    fetched_at: { type: Date, required },
    /** Number of merges; absent for none. Together with `fetched_at` the version on which writes are conditional. */
    revision: Number,
    /** Time and source of each value that differ from the record's. */
    seen: typed<SeenValues>(Schema.Types.Mixed),
    /** Present while an import of the record can be undone. */
    layers: typed<Layers>(Schema.Types.Mixed),
    /** Time of the insert. Lists are sorted by it, so that a newer version keeps its position. */
    created_at: { type: Date, required },
    // Before the data, so that analyses find it without reading the data.
    facts: typed<RecordFacts>(Schema.Types.Mixed),
    /** Time of the last write of `facts` or `novelty`. */
    changed_at: Date,
    /**
     * Whether it contained the value of an IOD at `created_at`; later versions do not change it. Absent, as `pending`, if a
     * replica of an earlier version stored it.
     */
    novelty: { type: String, enum: NOVELTIES },
    /**
     * The record as sent or merged. `imageHashes` is stored as pairs, because its keys may contain dots and dollar signs.
     */
    data: { type: typed<Record<string, unknown>>(Schema.Types.Mixed), required },
    /** Size of `data`, `seen` and `layers` as JSON. */
    bytes: { type: Number, required },
    /** Whether this version, with its `shared`, was delivered to the sightings service. */
    sighted: { type: Boolean, required },
    /** How other members see the record; absent if it is not shared. */
    shared: { type: String, enum: SHARED_AS },
  },
  { minimize: false },
)
export type RecordDoc = DocOf<typeof schema>
schema.index({ user_id: 1, source: 1, key: 1 }, { unique: true })
schema.index({ user_id: 1, source: 1, created_at: -1, _id: -1 })
// For the analyses, which read changes.
schema.index({ user_id: 1, changed_at: 1 })
/** Index of the records of an import. */
export const BY_IMPORT = { user_id: 1, 'layers.imports.id': 1, created_at: -1, _id: -1 } as const
schema.index(BY_IMPORT, { partialFilterExpression: { 'layers.imports.id': { $exists: true } } })
// Contains only the records that await delivery to the sightings service.
schema.index({ sighted: 1, user_id: 1 }, { partialFilterExpression: { sighted: false } })
// Contains only the records that await their comparison with IODs.
schema.index({ novelty: 1, user_id: 1 }, { partialFilterExpression: { novelty: 'pending' } })
schema.index({ user_id: 1, source: 1, shared: 1 }, { partialFilterExpression: { shared: { $exists: true } } })

const removalSchema = defineSchema('removals', {
  user_id: { type: Schema.Types.ObjectId, required },
})
/** A deleted record that the sightings service has to remove. */
export type RemovalDoc = DocOf<typeof removalSchema> & {
  /** The record's id. */
  _id: Types.ObjectId
}
removalSchema.index({ user_id: 1 })

/** Counters per user. */
export type RecordCounter = 'records' | 'record_bytes' | Source

export const createRecordModels = (mongo: Connection) => ({
  records: modelOf(mongo, 'Record', schema),
  removals: modelOf(mongo, 'Removal', removalSchema),
})

/** Counts a user's records from scratch. */
export const countRecords = async (
  records: Model<RecordDoc>,
  user_id: Types.ObjectId,
  session: ClientSession,
): Promise<Amounts<RecordCounter>> => {
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
}

/** Selects the records of a user and a source. */
export type RecordScope = Pick<RecordDoc, 'user_id' | 'source'>
