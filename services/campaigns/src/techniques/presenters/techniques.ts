import type { CampaignTechnique } from '@iodine/contracts'
import type { UserDirectory } from '@iodine/service-kit'
import type { TechniqueDoc } from '../../campaigns/models/campaign.js'

/** Presents a campaign's techniques to clients, in the given order, with current usernames. */
export const presentTechniques = async (
  users: UserDirectory,
  techniques: TechniqueDoc[],
): Promise<CampaignTechnique[]> => {
  const names = await users.usernames(techniques.flatMap(({ by }) => by?.toHexString() ?? []))
  return techniques.map(({ id, by, at }) => ({
    id,
    by: by?.toHexString() ?? null,
    by_username: (by && names.get(by.toHexString())) ?? null,
    at: at.toISOString(),
  }))
}
