import { LIMITS, sightingsInternal } from '@iodine/contracts'
import type { Peers } from '@iodine/service-kit'
import type { SaidNarrative } from './canon-view.js'

/** When sources of texts were posted, by source. */
export type SourceDates = ReadonlyMap<string, Date>

/** No record has a longer address. */
const ADDRESS_MAX = 500

/** Reads when the sources of narratives were posted, as the user's own records say. None while sightings are down. */
export const readSourceDates = async (
  peers: Peers,
  user_id: string,
  narratives: readonly SaidNarrative[],
): Promise<SourceDates> => {
  const sources = new Set<string>()
  for (const { mentions } of narratives)
    for (const { text } of mentions)
      if (text.src && text.src.length <= ADDRESS_MAX && sources.size < LIMITS.postedAddresses)
        sources.add(text.src)
  if (sources.size === 0) return new Map()
  const posted = await peers
    .call('sightings', sightingsInternal.postedTimes, { body: { user_id, addresses: [...sources] } })
    .catch(() => [])
  return new Map(posted.map(({ address, posted_at }) => [address, new Date(posted_at)]))
}
