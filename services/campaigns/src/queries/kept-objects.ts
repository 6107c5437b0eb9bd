import type { KeptObjects } from '@iodine/contracts'
import type { UserDirectory } from '@iodine/service-kit'
import type { CampaignDoc } from '../models/campaign.js'
import type { ImportDoc } from '../models/import.js'
import type { CampaignModels } from '../models/index.js'
import { countWithheld, readForeignPart } from './foreign-objects.js'

/** Imports that are listed. */
const IMPORTS_MAX = 100

/** What a campaign keeps of other tools' files, by type and by import. */
export const readKept = async (
  { foreign, imports }: CampaignModels,
  users: UserDirectory,
  userId: string,
  campaign: CampaignDoc,
): Promise<KeptObjects> => {
  const campaign_id = campaign._id
  const types = await foreign.aggregate<{ _id: string; objects: number; bytes: number }>([
    { $match: { campaign_id } },
    { $group: { _id: '$type', objects: { $sum: 1 }, bytes: { $sum: '$bytes' } } },
    { $sort: { objects: -1, _id: 1 } },
  ])
  const docs = await imports
    .find({ campaign_id, state: { $in: ['applying', 'done', 'failed'] } })
    .sort({ _id: -1 })
    .limit(IMPORTS_MAX)
    .lean<ImportDoc[]>()
  const part = await readForeignPart(foreign, campaign, 'stix')
  const ids = new Set(docs.flatMap(({ user_id }) => user_id?.toHexString() ?? []))
  const names = ids.size > 0 ? await users.usernames(ids) : new Map<string, string>()
  return {
    objects: types.reduce((sum, each) => sum + each.objects, 0),
    bytes: types.reduce((sum, each) => sum + each.bytes, 0),
    withheld: await countWithheld(foreign, campaign_id, part),
    types: types.map(({ _id, objects }) => ({ type: _id, objects })),
    imports: docs.map(({ _id, user_id, created_at, objects, state }) => ({
      id: _id.toHexString(),
      user_id: user_id?.toHexString() ?? null,
      username: (user_id && names.get(user_id.toHexString())) ?? null,
      created_at: created_at.toISOString(),
      objects,
      removable:
        state !== 'applying' && (user_id?.equals(userId) || campaign.created_by?.equals(userId) || false),
    })),
  }
}
