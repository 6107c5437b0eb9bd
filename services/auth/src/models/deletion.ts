import { Schema, type Types } from 'mongoose'

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

const required = true
export const deletionSchema = new Schema<DeletionDoc>(
  {
    deleted_at: { type: Date, required },
    erased_at: { type: Date, default: null },
    check_at: { type: Date, required },
  },
  { collection: 'deletions', versionKey: false },
)
deletionSchema.index({ check_at: 1 })
