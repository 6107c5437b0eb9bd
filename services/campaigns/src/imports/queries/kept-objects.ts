import { type KeptObjects, LIMITS } from '@iodine/contracts'
import { notFound, type UserDirectory } from '@iodine/service-kit'
import type { ClientSession, Types } from 'mongoose'
import type { CampaignDoc } from '../../campaigns/models/campaign.js'
import { findCampaign } from '../../campaigns/queries/campaign-detail.js'
import type { CampaignModels } from '../../models.js'
import type { ForeignModel } from '../models/foreign.js'
import { type ImportDoc, type ImportModel, keptFrom } from '../models/import.js'
import { countWithheld, readForeignPart } from './foreign-objects.js'

/** What a campaign keeps by an import, by type. */
export const keptBy = async (
  foreign: ForeignModel,
  { _id, campaign_id }: Pick<ImportDoc, '_id' | 'campaign_id'>,
): Promise<NonNullable<ImportDoc['kept']>> => {
  const types = await foreign.aggregate<{ _id: string; objects: number; bytes: number }>([
    { $match: { campaign_id, import_id: _id } },
    {
      $group: {
        _id: '$type',
        // Text that goes on with an event is none of its objects.
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

/** Number of the objects that a campaign keeps by an import. */
export const countOfKept = (kept: ImportDoc['kept']): number =>
  kept?.types.reduce((sum, { objects }) => sum + objects, 0) ?? 0

/** Imports without those that are being removed, of which some are plans. */
const shown = (campaign_id: Types.ObjectId) => ({
  ...keptFrom(campaign_id),
  state: { $ne: 'removing' as const },
})

/**
 * What a campaign keeps by all its imports, those counted as a whole that are being applied.
 * @param options.except an import that is left out
 */
export const sumKept = async (
  imports: ImportModel,
  campaign_id: Types.ObjectId,
  { except, session }: { except?: Types.ObjectId; session?: ClientSession } = {},
) => {
  const docs = await imports
    .find(
      { ...shown(campaign_id), ...(except && { _id: { $ne: except } }) },
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

/** What a campaign keeps of other tools' files, by type and by import. Throws 404. */
export const readKept = async (
  { campaigns, foreign, imports }: CampaignModels,
  users: UserDirectory,
  userId: string,
  id: string,
): Promise<KeptObjects> => {
  const campaign = await campaigns.findById(id).lean<CampaignDoc>()
  if (!campaign) throw notFound()
  const campaign_id = campaign._id
  const { objects, bytes, types } = await sumKept(imports, campaign_id)
  const docs = await imports
    .find(shown(campaign_id))
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
