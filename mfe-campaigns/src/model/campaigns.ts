import type { Campaign } from '@iodine/contracts'
import { search } from './search'

/** The campaigns whose name or description contains the text, ignoring case. */
export const searchCampaigns = <C extends Pick<Campaign, 'name' | 'description'>>(
  campaigns: C[],
  text: string,
): C[] => search(campaigns, text, ['name', 'description'])

/** The displayed name. */
export const nameOf = ({ name }: Pick<Campaign, 'name'>): string => name.trim() || 'Unnamed Campaign'

/** The creator's username, otherwise the id. */
export const creatorOf = (campaign: Pick<Campaign, 'created_by_id' | 'created_by_username'>): string =>
  campaign.created_by_username || campaign.created_by_id || 'Unknown'
