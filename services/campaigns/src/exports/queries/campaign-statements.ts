import { type IodStatement, iodsInternal, LIMITS } from '@iodine/contracts'
import type { StatementsById } from '@iodine/exchange'
import type { Peers } from '@iodine/service-kit'
import type { CampaignDoc } from '../../campaigns/models/campaign.js'

/** Timeout of a batch, which weighs votes. */
const BATCH_MS = 10_000

/** Fetches the statements of a campaign's IODs for STIX and MISP files. Throws 503 while the iods service is down. */
export const fetchStatements = async (
  peers: Peers,
  { iod_ids = [] }: CampaignDoc,
): Promise<StatementsById> => {
  const found = new Map<string, IodStatement>()
  for (let at = 0; at < iod_ids.length; at += LIMITS.consensusMax) {
    const ids = iod_ids.slice(at, at + LIMITS.consensusMax).map(id => id.toHexString())
    const batch = await peers.call('iods', iodsInternal.stateIods, { body: { ids }, ms: BATCH_MS })
    for (const [id, statement] of Object.entries(batch)) found.set(id, statement)
  }
  return found
}
