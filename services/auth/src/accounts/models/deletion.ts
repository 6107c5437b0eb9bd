import { Schema, type Types } from 'mongoose'

/** A deleted account whose data other services may still store. */
export interface DeletionDoc {
  /** The user's id, the only stored data about the user. */
  _id: Types.ObjectId
  deleted_at: Date
  /** Time of the first complete erasure in all services. */
  erased_at: Date | null
}

const required = true
export const deletionSchema = new Schema<DeletionDoc>(
  {
    deleted_at: { type: Date, required },
    erased_at: { type: Date, default: null },
  },
  { collection: 'deletions', versionKey: false },
)
