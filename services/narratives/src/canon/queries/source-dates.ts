import { LIMITS, sightingsInternal } from '@iodine/contracts'
import type { Peers } from '@iodine/service-kit'
import type { NarrativeView } from './narrative-view.js'

/** Posting times of sources, by source. */
export type SourceDates = ReadonlyMap<string, Date>

/** Maximum length of a record's URL. */
const ADDRESS_MAX = 500

/** Reads the sources' posting times from the user's own records. Returns none while the sightings service is down. */
export const readSourceDates = async (
  peers: Peers,
  user_id: string,
  narratives: readonly NarrativeView[],
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
