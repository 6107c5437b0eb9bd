import type { Connection } from '@iodine/service-kit'
import { type Model, Schema, type Types } from 'mongoose'

/** An account that is gone while other services may still keep something of it. */
export interface DeletionDoc {
  /** The user's id, all that is left of them. */
  _id: Types.ObjectId
  deleted_at: Date
  /** When all services had forgotten the user for the first time. */
  erased_at: Date | null
  /** When the repair looks at it next. */
  check_at: Date
}
export type DeletionModel = Model<DeletionDoc>

const required = true
const schema = new Schema<DeletionDoc>(
  {
    deleted_at: { type: Date, required },
    erased_at: { type: Date, default: null },
    check_at: { type: Date, required },
  },
  { collection: 'deletions', versionKey: false },
)
schema.index({ check_at: 1 })

export const createDeletionModel = (mongo: Connection): DeletionModel =>
  mongo.model<DeletionDoc>('Deletion', schema)
