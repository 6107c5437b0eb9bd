import { type KeptObjects, LIMITS } from '@iodine/contracts'
import type { UserDirectory } from '@iodine/service-kit'
import type { Types } from 'mongoose'
import type { CampaignDoc } from '../models/campaign.js'
import type { ForeignModel } from '../models/foreign.js'
import type { ImportDoc, ImportModel } from '../models/import.js'
import type { CampaignModels } from '../models/index.js'
import { countWithheld, readForeignPart } from './foreign-objects.js'

/** What a campaign keeps by an import, by type. */
export const keptBy = async (
  foreign: ForeignModel,
  { _id, campaign_id }: Pick<ImportDoc, '_id' | 'campaign_id'>,
): Promise<NonNullable<ImportDoc['kept']>> => {
  const types = await foreign.aggregate<{ _id: string; objects: number; bytes: number }>([
    { $match: { campaign_id, import_id: _id } },
    { $group: { _id: '$type', objects: { $sum: 1 }, bytes: { $sum: '$bytes' } } },
  ])
  return {
    bytes: types.reduce((sum, { bytes }) => sum + bytes, 0),
    types: types.map(({ _id: type, objects }) => ({ type, objects })),
  }
}

/** What a campaign keeps by all its imports. */
export const sumKept = async (imports: ImportModel, campaign_id: Types.ObjectId) => {
  const docs = await imports.find({ campaign_id, kept: { $ne: null } }, { kept: 1 }).lean<ImportDoc[]>()
  const types = new Map<string, number>()
  for (const { kept } of docs)
    for (const { type, objects } of kept?.types ?? []) types.set(type, (types.get(type) ?? 0) + objects)
  return {
    imports: docs.length,
    objects: [...types.values()].reduce((sum, objects) => sum + objects, 0),
    bytes: docs.reduce((sum, { kept }) => sum + (kept?.bytes ?? 0), 0),
    types: [...types].map(([type, objects]) => ({ type, objects })),
  }
}

/** What a campaign keeps of other tools' files, by type and by import. */
export const readKept = async (
  { foreign, imports }: CampaignModels,
  users: UserDirectory,
  userId: string,
  campaign: CampaignDoc,
): Promise<KeptObjects> => {
  const campaign_id = campaign._id
  const { objects, bytes, types } = await sumKept(imports, campaign_id)
  const docs = await imports
    .find({ campaign_id, $or: [{ state: 'applying' }, { kept: { $ne: null } }] })
    .sort({ _id: -1 })
    .limit(LIMITS.campaignImportsMax)
    .lean<ImportDoc[]>()
  const withheld =
    objects > 0
      ? await countWithheld(foreign, campaign_id, await readForeignPart(foreign, campaign, 'stix'))
      : 0
  const ids = new Set(docs.flatMap(({ user_id }) => user_id?.toHexString() ?? []))
  const names = ids.size > 0 ? await users.usernames(ids) : new Map<string, string>()
  return {
    objects,
    bytes,
    withheld,
    types: types.sort((a, b) => b.objects - a.objects || (a.type < b.type ? -1 : 1)),
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
