import { type Consensus, iodsInternal, LIMITS } from '@iodine/contracts'
import type { ConsensusById } from '@iodine/exchange'
import type { Peers } from '@iodine/service-kit'
import type { CampaignDoc } from '../models/campaign.js'

/** Consensus on a campaign's IODs, as far as it is known. Throws 503 while the iods service is down. */
export const fetchConsensus = async (peers: Peers, { iod_ids = [] }: CampaignDoc): Promise<ConsensusById> => {
  const found = new Map<string, Consensus>()
  for (let at = 0; at < iod_ids.length; at += LIMITS.consensusMax) {
    const ids = iod_ids.slice(at, at + LIMITS.consensusMax).map(id => id.toHexString())
    const batch = await peers.call('iods', iodsInternal.weighVotes, { body: { ids } })
    for (const [id, consensus] of Object.entries(batch)) found.set(id, consensus)
  }
  return found
}
