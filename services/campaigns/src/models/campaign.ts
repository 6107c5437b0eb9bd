import type { IodCounts } from '@iodine/contracts'
import { type Connection, createQuotas } from '@iodine/service-kit'
import { type Model, Schema, type Types } from 'mongoose'
import type { CampaignsConfig } from '../config.js'

/** Statistics of a campaign's first members at some time, to which what came later is added. */
export interface CountedMembers extends IodCounts {
  /** The first so many members are in the numbers. */
  members: number
  /** Members that were removed since. They are in the numbers, too. */
  removed: Types.ObjectId[]
  votes: number
  /** Votes until then are in the numbers. */
  until: Date
  /** When the count began from nothing. */
  begun: Date
}

export interface CampaignDoc {
  _id: Types.ObjectId
  name: string
  description: string
  /** Null once the account is deleted. */
  created_by: Types.ObjectId | null
  created_at: Date
  /** Length of `iod_ids`, updated atomically with it, so that lists need not read the ids. */
  iod_count: number
  /** Members in the order of their addition. Only read where selected. */
  iod_ids?: Types.ObjectId[]
  /** Only read where selected. */
  counted?: CountedMembers
  /** Number of removals, so that what was counted before one is not stored after it. Only read where selected. */
  removals?: number
}
export type CampaignModel = Model<CampaignDoc>

const required = true
const schema = new Schema<CampaignDoc>(
  {
    name: { type: String, required },
    // Mongoose's `required` rejects empty strings, but a description may be empty.
    description: { type: String, default: '' },
    created_by: { type: Schema.Types.ObjectId, default: null },
    created_at: { type: Date, required },
    iod_count: { type: Number, required },
    iod_ids: { type: [Schema.Types.ObjectId], select: false },
    counted: { type: Schema.Types.Mixed, select: false },
    removals: { type: Number, select: false },
  },
  { collection: 'campaigns', versionKey: false },
)
schema.index({ created_at: -1, _id: -1 })
schema.index({ created_by: 1, created_at: -1, _id: -1 })
schema.index({ iod_ids: 1, created_at: -1, _id: -1 })

export const createModels = (
  mongo: Connection,
  { QUOTA_CAMPAIGNS }: Pick<CampaignsConfig, 'QUOTA_CAMPAIGNS'>,
) => {
  const campaigns = mongo.model<CampaignDoc>('Campaign', schema)
  const quotas = createQuotas<'campaigns'>({
    mongo,
    limits: { campaigns: QUOTA_CAMPAIGNS },
    owners: () => campaigns.distinct('created_by'),
    count: async (created_by, session) => ({
      campaigns: await campaigns.countDocuments({ created_by }).session(session),
    }),
  })
  return { campaigns, quotas }
}
export type CampaignModels = ReturnType<typeof createModels>
