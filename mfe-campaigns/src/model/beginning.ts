import type { CampaignDetail } from '@iodine/contracts'

/** What JSON is nested by; strings are taken whole, also one that is not all there yet. */
const TOKENS = /"[^"\\]*(?:\\.[^"\\]*)*(?:"|\\?$)|[{}[\]]/g
/** Of an IOD in the list of a campaign's object. */
const IOD_DEPTH = 2

/**
 * A campaign with those of its IODs that are whole in the beginning of its JSON; null while there is none, and where
 * all are there.
 */
export function readBeginning(text: string): CampaignDetail | null {
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
    // Its members don't come last: then its beginning says too little.
    return null
  }
}
