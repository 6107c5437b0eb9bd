import type { CampaignDetail } from '@iodine/contracts'

/** JSON tokens: brackets, and strings including one that is cut off at the end. */
const TOKENS = /"[^"\\]*(?:\\.[^"\\]*)*(?:"|\\?$)|[{}[\]]/g
/** Nesting depth of an IOD's object in a campaign's JSON. */
const IOD_DEPTH = 2

/**
 * Parses the beginning of a campaign's JSON: the campaign with those IODs that are complete. Null if none is
 * complete, or if all are.
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
    // The last object at that depth is not an IOD, so the text up to its end is not a campaign.
    return null
  }
}
