import type { CampaignDetail } from '@iodine/contracts'

/** Strings, whole or cut off at the end, and the brackets of JSON. */
const TOKENS = /"[^"\\]*(?:\\.[^"\\]*)*(?:"|\\?$)|[{}[\]]/g
/** How deep an IOD's object is nested in a campaign's. */
const IOD_DEPTH = 2

/**
 * A campaign with the IODs that are complete in the first part of its JSON; null where there is none, and where all
 * are there.
 */
export function readPartialCampaign(text: string): CampaignDetail | null {
  let depth = 0
  let end = 0
  for (const { 0: token, index } of text.matchAll(TOKENS)) {
    if (token === '{' || token === '[') depth++
    else if (token === '}' || token === ']') {
      depth--
      if (token === '}' && depth === IOD_DEPTH) end = index + 1
    }
  }
  if (end === 0 || depth < IOD_DEPTH) return null
  try {
    const campaign = JSON.parse(`${text.slice(0, end)}]}`) as CampaignDetail
    return campaign.iods.length < campaign.iod_count ? campaign : null
  } catch {
    // The list of IODs is not the last member, so the text before its end is not a campaign.
    return null
  }
}
