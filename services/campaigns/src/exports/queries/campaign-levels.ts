import { iodsInternal, LIMITS, type Tlp } from '@iodine/contracts'
import type { Peers } from '@iodine/service-kit'
import type { CampaignDoc } from '../../campaigns/models/campaign.js'

/** Fetches the levels of a campaign's IODs that imports have marked. Throws 503 while the iods service is down. */
export const fetchLevels = async (peers: Peers, { iod_ids = [] }: CampaignDoc): Promise<Map<string, Tlp>> => {
  const found = new Map<string, Tlp>()
  for (let at = 0; at < iod_ids.length; at += LIMITS.levelsMax) {
    const ids = iod_ids.slice(at, at + LIMITS.levelsMax).map(id => id.toHexString())
    const batch = await peers.call('iods', iodsInternal.getLevels, { body: { ids } })
    for (const [id, level] of Object.entries(batch)) found.set(id, level)
  }
  return found
}
