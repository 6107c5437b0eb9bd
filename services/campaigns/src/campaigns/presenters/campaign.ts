import type { Campaign } from '@iodine/contracts'
import type { UserDirectory } from '@iodine/service-kit'
import type { CampaignDoc } from '../models/campaign.js'

/** Presents campaigns to clients, in the given order, with their creators' current usernames. */
export const presentCampaigns = async (users: UserDirectory, docs: CampaignDoc[]): Promise<Campaign[]> => {
  const names = await users.usernames(docs.flatMap(doc => doc.created_by?.toHexString() ?? []))
  return docs.map(doc => ({
    id: doc._id.toHexString(),
    name: doc.name,
    description: doc.description,
    created_by_id: doc.created_by?.toHexString() ?? null,
    created_by_username: (doc.created_by && names.get(doc.created_by.toHexString())) ?? null,
    created_at: doc.created_at.toISOString(),
    iod_count: doc.iod_count,
    ...(doc.comment_count && { comment_count: doc.comment_count }),
  }))
}
