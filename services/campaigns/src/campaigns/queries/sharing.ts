import { type CampaignSharing, DEFAULT_TLP, rankOfTlp, tlpOfRank } from '@iodine/contracts'
import { notFound } from '@iodine/service-kit'
import type { PublicationDoc } from '../../feeds/models/publication.js'
import { type ImportDoc, keptFrom } from '../../imports/models/import.js'
import type { CampaignModels } from '../../models.js'
import type { CampaignDoc } from '../models/campaign.js'

const presentFeed = (doc: PublicationDoc | null): CampaignSharing['feed'] =>
  doc && {
    collection: doc.collection_id,
    state: doc.state,
    objects: Math.max(0, doc.rows - doc.revoked),
    revoked: doc.revoked,
    at: doc.at?.toISOString() ?? null,
    problem: doc.problem,
  }

/**
 * Returns the level of a campaign's exports, and its minimum: the strictest level of the campaign's imports. The level
 * is computed, so that the creator's level applies again once a strict import is removed. Throws 404.
 */
export const readLevels = async (
  { campaigns, imports }: Pick<CampaignModels, 'campaigns' | 'imports'>,
  id: string,
): Promise<Pick<CampaignSharing, 'tlp' | 'least' | 'published'>> => {
  const doc = await campaigns.findById(id).select(['+tlp', '+published']).lean<CampaignDoc>()
  if (!doc) throw notFound()
  const [strictest] = await imports
    .find(keptFrom(doc._id), { tlp: 1 })
    .sort({ tlp: -1 })
    .limit(1)
    .lean<Pick<ImportDoc, 'tlp'>[]>()
  const least = strictest?.tlp ?? 0
  return {
    tlp: tlpOfRank(Math.max(doc.tlp ?? rankOfTlp(DEFAULT_TLP), least)) ?? 'red',
    least: tlpOfRank(least) ?? 'red',
    published: doc.published ?? false,
  }
}

/** Returns a campaign's levels, whether it is published, and the state of its feed. Throws 404. */
export const readSharing = async (
  models: Pick<CampaignModels, 'campaigns' | 'imports' | 'publications'>,
  id: string,
): Promise<CampaignSharing> => {
  const levels = await readLevels(models, id)
  const feed = await models.publications.findById(id).lean<PublicationDoc>()
  return { ...levels, feed: presentFeed(feed) }
}
