import type { OpenNarrative } from '@iodine/contracts'
import { useHost } from '@iodine/mfe-kit'
import { useQuery } from '@iodine/mfe-kit/query'

const POLL_MS = 2_000
const NONE: readonly OpenNarrative[] = []

/** Reads the server's state of the user's extractions, every 2 s while any is in progress. */
export function useOpenNarratives(underWay: boolean): readonly OpenNarrative[] {
  const { api } = useHost()
  const { data } = useQuery({
    queryKey: ['open-narratives'],
    enabled: underWay,
    queryFn: ({ signal }) => api.call('GET /narratives/open', { signal }),
    refetchInterval: POLL_MS,
    gcTime: 0,
  })
  return (underWay && data) || NONE
}
