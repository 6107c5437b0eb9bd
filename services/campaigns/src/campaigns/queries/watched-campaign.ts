import type { CommentSubject } from '@iodine/service-kit'
import type { CampaignModels } from '../../models.js'
import type { CampaignDoc } from '../models/campaign.js'
import { readLevels } from './sharing.js'

/** Returns what events about a campaign state; null for a deleted one, and for TLP:RED. */
export const watchedCampaign = async (
  models: CampaignModels,
  id: string,
): Promise<(CommentSubject & { changed_at: Date }) | null> => {
  const doc = await models.campaigns.findById(id).select('+changed_at').lean<CampaignDoc>()
  if (!doc) return null
  const { tlp } = await readLevels(models, id)
  return tlp === 'red' ? null : { kind: 'campaign', title: doc.name, tlp, changed_at: doc.changed_at }
}
