import { LIMITS } from '@iodine/contracts'
import type { UsedTechnique } from '@iodine/exchange'
import { isTechnique, usedTechniques } from '@iodine/exchange/disarm'
import { notFound, type PersonalSource, personalSource } from '@iodine/service-kit'
import type { ClientSession } from 'mongoose'
import type { CampaignDoc, CampaignModel, TechniqueDoc } from '../../campaigns/models/campaign.js'
import type { ImportDoc } from '../../imports/models/import.js'

/** Returns a campaign's techniques, in the order of their addition. Throws 404 for an unknown campaign. */
export const findTechniques = async (
  model: CampaignModel,
  id: string,
  session: ClientSession | null = null,
): Promise<TechniqueDoc[]> => {
  const doc = await model.findById(id).select('+techniques').session(session).lean<CampaignDoc>()
  if (!doc) throw notFound()
  return doc.techniques ?? []
}

/** Returns a campaign's techniques in the form of files. They must have been selected. */
export const fileTechniques = ({ techniques = [] }: Pick<CampaignDoc, 'techniques'>): UsedTechnique[] =>
  usedTechniques(techniques.map(({ id, at }) => ({ id, at: at.toISOString() })))

/** Returns the source of the techniques that a user has added, by campaign, for the data export. */
export const personalTechniques = (model: CampaignModel): PersonalSource =>
  personalSource(
    'technique',
    model,
    by => ({ 'techniques.by': by }),
    ({ _id, name, techniques }, userId) => ({
      campaign: { _id, name },
      techniques: techniques?.filter(({ by }) => by?.equals(userId)),
    }),
    ['+techniques'],
  )

/** Returns the first techniques that an import names and the DISARM list lacks. */
export const unknownTechniques = ({ techniques = [], unnamed = [] }: ImportDoc): string[] =>
  [...new Set([...techniques.filter(each => !isTechnique(each)), ...unnamed])].slice(
    0,
    LIMITS.unknownTechniques,
  )
