import type { GraphLink } from '@iodine/contracts'
import { useHost } from '@iodine/mfe-kit'
import { useQuery } from '@iodine/mfe-kit/query'
import { useMemo } from 'react'
import { sayingsOf } from '../model/texts'

/** How many of the latest narratives are searched. */
export const SEARCHED_MAX = 500

const FRESH_MS = 60_000

/** The reader's own texts that say a link; asked for when `enabled`. */
export function useSayings(link: GraphLink, enabled: boolean) {
  const { api } = useHost()
  const { data, isError, refetch } = useQuery({
    queryKey: ['graph-narratives'],
    queryFn: ({ signal }) => api.call('GET /narratives/data', { query: { limit: SEARCHED_MAX }, signal }),
    enabled,
    staleTime: FRESH_MS,
  })
  return { sayings: useMemo(() => data && sayingsOf(data, link), [data, link]), isError, refetch }
}
