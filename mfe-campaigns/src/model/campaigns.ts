import type { Campaign } from '@iodine/contracts'

/** The campaigns whose name or description contains the text, in any case. */
export function searchCampaigns<C extends Pick<Campaign, 'name' | 'description'>>(
  campaigns: C[],
  text: string,
): C[] {
  const wanted = text.trim().toLowerCase()
  if (!wanted) return campaigns
  return campaigns.filter(({ name, description }) =>
    [name, description].some(field => field.toLowerCase().includes(wanted)),
  )
}

/** The name to show. */
export const nameOf = ({ name }: Pick<Campaign, 'name'>): string => name.trim() || 'Unnamed Campaign'

/** The creator's username, or id. */
export const creatorOf = (campaign: Pick<Campaign, 'created_by_id' | 'created_by_username'>): string =>
  campaign.created_by_username || campaign.created_by_id || 'Unknown'
