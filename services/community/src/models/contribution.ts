import type { ContributionType } from '@iodine/contracts'
import { CONTRIBUTION_TYPES } from '@iodine/contracts'
import type { Connection } from '@iodine/service-kit'
import { type Model, Schema, type Types } from 'mongoose'

export interface ContributionDoc {
  /** The id of the IOD or narrative. */
  _id: Types.ObjectId
  user_id: Types.ObjectId
  type: ContributionType
  title: string
  description: string
  created_at: Date | null
  /** A tombstone: nothing brings a deleted contribution back, in whatever order events come. */
  deleted: boolean
}
export type ContributionModel = Model<ContributionDoc>

const required = true
const schema = new Schema<ContributionDoc>(
  {
    user_id: { type: Schema.Types.ObjectId, required },
    type: { type: String, enum: CONTRIBUTION_TYPES, required },
    title: { type: String, default: '' },
    description: { type: String, default: '' },
    created_at: { type: Date, default: null },
    deleted: { type: Boolean, required },
  },
  { collection: 'contributions', versionKey: false },
)
schema.index({ user_id: 1, deleted: 1, created_at: -1, _id: -1 })
schema.index({ user_id: 1, deleted: 1, type: 1, created_at: -1, _id: -1 })

export const createContributionModel = (mongo: Connection): ContributionModel =>
  mongo.model<ContributionDoc>('Contribution', schema)
