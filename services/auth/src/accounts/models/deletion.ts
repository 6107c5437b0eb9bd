import { type DocOf, defineSchema } from '@iodine/service-kit'
import { Schema } from 'mongoose'

const required = true
export const deletionSchema = defineSchema('deletions', {
  /** The user's id, the only stored data about the user. */
  _id: { type: Schema.Types.ObjectId, required },
  deleted_at: { type: Date, required },
  /** Whether the user's comments are deleted too. */
  delete_comments: Boolean,
  /** Time of the first complete erasure in all services. */
  erased_at: { type: Date, default: null },
})
/** A deleted account whose data other services may still store. */
export type DeletionDoc = DocOf<typeof deletionSchema>
