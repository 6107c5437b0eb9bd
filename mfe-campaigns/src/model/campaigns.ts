import type { Campaign } from '@iodine/contracts'
import { search } from './search'

/** Returns the campaigns whose name or description contains the text, ignoring case. */
export const searchCampaigns = <C extends Pick<Campaign, 'name' | 'description'>>(
  campaigns: C[],
  text: string,
): C[] => search(campaigns, text, ['name', 'description'])

/** Returns the displayed name. */
export const nameOf = ({ name }: Pick<Campaign, 'name'>): string => name.trim() || 'Unnamed Campaign'

/** Returns the creator's username, or the id if there is none. */
export const creatorOf = (campaign: Pick<Campaign, 'created_by_id' | 'created_by_username'>): string =>
  campaign.created_by_username || campaign.created_by_id || 'Unknown'
