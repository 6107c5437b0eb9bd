import { DETAILS, type Evidence, evidenceInternal, LIMITS } from '@iodine/contracts'
import type { EvidenceById } from '@iodine/exchange'
import { HttpError, type Peers } from '@iodine/service-kit'
import type { CampaignDoc } from '../../campaigns/models/campaign.js'

const MAX = LIMITS.exportedEvidenceMax
/** Timeout of a batch, which may contain thousands of quotes with their seals. */
const BATCH_MS = 20_000

/**
 * Fetches the evidence of a campaign's IODs as a user sees it. Throws 413 past the maximum of a file, 503 while the
 * iods service, or the collector service, which has the seals, is down.
 */
export const fetchEvidence = async (
  peers: Peers,
  { iod_ids = [] }: CampaignDoc,
  user_id: string,
): Promise<EvidenceById> => {
  const found = new Map<string, Evidence[]>()
  let total = 0
  for (let at = 0; at < iod_ids.length; at += LIMITS.evidenceCountsMax) {
    const ids = iod_ids.slice(at, at + LIMITS.evidenceCountsMax).map(id => id.toHexString())
    const body = { ids, user_id, limit: MAX - total + 1 }
    const batch = await peers.call('iods', evidenceInternal.exportEvidence, { body, ms: BATCH_MS })
    total += batch.length
    if (total > MAX) throw new HttpError(413, DETAILS.exportedEvidenceFull)
    for (const evidence of batch) {
      const known = found.get(evidence.iod_id)
      if (known) known.push(evidence)
      else found.set(evidence.iod_id, [evidence])
    }
  }
  return found
}
