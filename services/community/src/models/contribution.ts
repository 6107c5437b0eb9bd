import { CONTRIBUTION_TYPES } from '@iodine/contracts'
import { type DocOf, defineSchema } from '@iodine/service-kit'
import { Schema } from 'mongoose'

const required = true
export const contributionSchema = defineSchema('contributions', {
  user_id: { type: Schema.Types.ObjectId, required },
  type: { type: String, enum: CONTRIBUTION_TYPES, required },
  title: { type: String, default: '' },
  description: { type: String, default: '' },
  created_at: { type: Date, default: null },
  /** Tombstone: a late or repeated event cannot restore a deleted contribution. */
  deleted: { type: Boolean, required },
  /** Number of restorations by its owner, according to the latest event. Absent: 0. */
  restored: Number,
})
export type ContributionDoc = DocOf<typeof contributionSchema>
contributionSchema.index({ user_id: 1, deleted: 1, created_at: -1, _id: -1 })
contributionSchema.index({ user_id: 1, deleted: 1, type: 1, created_at: -1, _id: -1 })
