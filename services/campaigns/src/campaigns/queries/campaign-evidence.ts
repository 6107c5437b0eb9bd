import { DETAILS, type Evidence, evidenceInternal, LIMITS } from '@iodine/contracts'
import type { EvidenceById } from '@iodine/exchange'
import { HttpError, type Peers } from '@iodine/service-kit'
import type { CampaignDoc } from '../models/campaign.js'

const MAX = LIMITS.exportedEvidenceMax
/** Timeout of a batch, which may contain thousands of quotes with their seals. */
const BATCH_MS = 20_000

/**
 * Yields the evidence of a campaign's IODs as a user sees it, in the order of the members, up to one piece more than
 * `max`. Throws 503 while the iods service, or the collector service, which has the seals, is down.
 */
export async function* readEvidence(
  peers: Peers,
  { iod_ids = [] }: Pick<CampaignDoc, 'iod_ids'>,
  user_id: string,
  max: number,
): AsyncGenerator<Evidence> {
  let total = 0
  for (let at = 0; at < iod_ids.length && total <= max; at += LIMITS.evidenceCountsMax) {
    const ids = iod_ids.slice(at, at + LIMITS.evidenceCountsMax).map(id => id.toHexString())
    const body = { ids, user_id, limit: max - total + 1 }
    const batch = await peers.call('iods', evidenceInternal.exportEvidence, { body, ms: BATCH_MS })
    total += batch.length
    yield* batch
  }
}

/** Fetches the evidence of a campaign's IODs as a user sees it. Throws 413 past the maximum of a file, and 503. */
export const fetchEvidence = async (
  peers: Peers,
  campaign: CampaignDoc,
  userId: string,
): Promise<EvidenceById> => {
  const found = new Map<string, Evidence[]>()
  let total = 0
  for await (const evidence of readEvidence(peers, campaign, userId, MAX)) {
    total += 1
    if (total > MAX) throw new HttpError(413, DETAILS.exportedEvidenceFull)
    const known = found.get(evidence.iod_id)
    if (known) known.push(evidence)
    else found.set(evidence.iod_id, [evidence])
  }
  return found
}
