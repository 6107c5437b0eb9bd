import { type ImportedObjects, LIMITS } from '@iodine/contracts'
import { notFound, type UserDirectory } from '@iodine/service-kit'
import type { ClientSession, Types } from 'mongoose'
import type { CampaignDoc } from '../../campaigns/models/campaign.js'
import { findCampaign } from '../../campaigns/queries/campaign-detail.js'
import type { CampaignModels } from '../../models.js'
import type { ForeignModel } from '../models/foreign.js'
import { type ImportDoc, type ImportModel, keptFrom } from '../models/import.js'
import { countWithheld, readForeignPart } from './foreign-objects.js'

/** Counts the objects that a campaign keeps from an import, by type. */
export const keptBy = async (
  foreign: ForeignModel,
  { _id, campaign_id }: Pick<ImportDoc, '_id' | 'campaign_id'>,
): Promise<NonNullable<ImportDoc['kept']>> => {
  const types = await foreign.aggregate<{ _id: string; objects: number; bytes: number }>([
    { $match: { campaign_id, import_id: _id } },
    {
      $group: {
        _id: '$type',
        // A piece that continues an event or object is no object.
        objects: { $sum: { $cond: [{ $eq: ['$place.isText', true] }, 0, 1] } },
        bytes: { $sum: '$bytes' },
      },
    },
  ])
  return {
    bytes: types.reduce((sum, { bytes }) => sum + bytes, 0),
    types: types.filter(({ objects }) => objects > 0).map(({ _id: type, objects }) => ({ type, objects })),
  }
}

/** Returns the number of objects that a campaign keeps from an import. */
export const countOfKept = (kept: ImportDoc['kept']): number =>
  kept?.types.reduce((sum, { objects }) => sum + objects, 0) ?? 0

/** Returns the filter of imports that keep objects, without imports that are being removed, some of which are plans. */
const visibleImports = (campaign_id: Types.ObjectId) => ({
  ...keptFrom(campaign_id),
  state: { $ne: 'removing' as const },
})

/**
 * Sums the objects that a campaign keeps from all its imports. An import that is being applied counts as a whole.
 * @param options.except an import to exclude
 */
export const sumKept = async (
  imports: ImportModel,
  campaign_id: Types.ObjectId,
  { except, session }: { except?: Types.ObjectId; session?: ClientSession } = {},
) => {
  const docs = await imports
    .find(
      { ...visibleImports(campaign_id), ...(except && { _id: { $ne: except } }) },
      { kept: 1, objects: 1, bytes: 1 },
    )
    .session(session ?? null)
    .lean<Pick<ImportDoc, 'kept' | 'objects' | 'bytes'>[]>()
  const types = new Map<string, number>()
  const sums = { imports: docs.length, objects: 0, bytes: 0 }
  for (const { kept, objects, bytes } of docs) {
    for (const { type, objects } of kept?.types ?? []) types.set(type, (types.get(type) ?? 0) + objects)
    sums.objects += kept ? countOfKept(kept) : objects
    sums.bytes += kept?.bytes ?? bytes
  }
  return { ...sums, types: [...types].map(([type, objects]) => ({ type, objects })) }
}

/** Returns the objects that a campaign keeps from imported files, by type and by import. Throws 404. */
export const readKept = async (
  { campaigns, foreign, imports }: CampaignModels,
  users: UserDirectory,
  userId: string,
  id: string,
): Promise<ImportedObjects> => {
  const campaign = await campaigns.findById(id).lean<CampaignDoc>()
  if (!campaign) throw notFound()
  const campaign_id = campaign._id
  const { objects, bytes, types } = await sumKept(imports, campaign_id)
  const docs = await imports
    .find(visibleImports(campaign_id))
    .sort({ _id: -1 })
    .limit(LIMITS.campaignImportsMax)
    .lean<ImportDoc[]>()
  const withheld = async () => {
    const campaign = await findCampaign(campaigns, id)
    let sum = 0
    for (const format of ['stix', 'misp'] as const)
      sum += await countWithheld(foreign, campaign_id, await readForeignPart(foreign, campaign, format))
    return sum
  }
  const ids = new Set(docs.flatMap(({ user_id }) => user_id?.toHexString() ?? []))
  const names = ids.size > 0 ? await users.usernames(ids) : new Map<string, string>()
  return {
    objects,
    bytes,
    withheld: objects > 0 ? await withheld() : 0,
    types: types.sort((a, b) => b.objects - a.objects || (a.type < b.type ? -1 : 1)),
    imports: docs.map(({ _id, user_id, created_at, objects, kept, state }) => ({
      id: _id.toHexString(),
      user_id: user_id?.toHexString() ?? null,
      username: (user_id && names.get(user_id.toHexString())) ?? null,
      created_at: created_at.toISOString(),
      objects: kept ? countOfKept(kept) : objects,
      removable:
        (state === 'done' || state === 'failed') &&
        (user_id?.equals(userId) || campaign.created_by?.equals(userId) || false),
    })),
  }
}
