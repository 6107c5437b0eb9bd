import type { ContributionType } from '@iodine/contracts'
import { CONTRIBUTION_TYPES } from '@iodine/contracts'
import { Schema, type Types } from 'mongoose'

export interface ContributionDoc {
  /** The id of the IOD or narrative. */
  _id: Types.ObjectId
  user_id: Types.ObjectId
  type: ContributionType
  title: string
  description: string
  created_at: Date | null
  /** Tombstone: a late or repeated event cannot restore a deleted contribution. */
  deleted: boolean
  /** Number of restorations by its owner, according to the latest event. Absent: 0. */
  restored?: number
}

const required = true
export const contributionSchema = new Schema<ContributionDoc>(
  {
    user_id: { type: Schema.Types.ObjectId, required },
    type: { type: String, enum: CONTRIBUTION_TYPES, required },
    title: { type: String, default: '' },
    description: { type: String, default: '' },
    created_at: { type: Date, default: null },
    deleted: { type: Boolean, required },
    restored: Number,
  },
  { collection: 'contributions', versionKey: false },
)
contributionSchema.index({ user_id: 1, deleted: 1, created_at: -1, _id: -1 })
contributionSchema.index({ user_id: 1, deleted: 1, type: 1, created_at: -1, _id: -1 })
