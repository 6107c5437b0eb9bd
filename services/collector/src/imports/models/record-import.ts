import { LIMITS, RECORD_IMPORT_STATES } from '@iodine/contracts'
import { type Connection, type DocOf, defineSchema, modelOf, typed } from '@iodine/service-kit'
import { Schema } from 'mongoose'

const required = true as const
const count = { type: Number, required } as const
const schema = defineSchema('imports', {
  user_id: { type: Schema.Types.ObjectId, required },
  format: { type: String, required },
  file_name: { type: String, required },
  file_sha256: { type: String, required },
  /** Records with this `fetch_timestamp` do not state when they were collected; absent if none does. */
  file_time: Date,
  state: { type: String, enum: RECORD_IMPORT_STATES, required },
  total: count,
  received: count,
  /** `received` before the last batch, which may be repeated. */
  received_before: count,
  created: count,
  merged: count,
  refused: { type: typed<{ reason: string; count: number }[]>(Schema.Types.Mixed), required },
  created_at: { type: Date, required },
})
/** An import of a file of another tool into a user's records. */
export type RecordImportDoc = DocOf<typeof schema>
schema.index({ user_id: 1, created_at: -1, _id: -1 })

export const createRecordImportModel = (mongo: Connection) => modelOf(mongo, 'RecordImport', schema)

/** Returns until when an import can be undone. */
export const undoUntil = ({ created_at }: Pick<RecordImportDoc, 'created_at'>): Date =>
  new Date(created_at.getTime() + LIMITS.importUndoDays * 24 * 3_600_000)
