import { nodeIdOf, SOURCES } from '@iodine/contracts'
import { useHost } from '@iodine/mfe-kit'
import { usePagedQuery, useQueries, useQuery } from '@iodine/mfe-kit/query'
import { FRESH_MS } from './iod'

/** Query key prefix of the campaigns of IODs. */
export const CAMPAIGNS_OF = ['iod-campaigns']
const CAMPAIGNS_SHOWN = 20
const HITS_SHOWN = 3
const NEIGHBOURS_SHOWN = 5

/** Reads the campaigns that contain an IOD, newest first, paginated. */
export function useCampaignsOf(id: string, enabled: boolean) {
  const { api } = useHost()
  return usePagedQuery({
    queryKey: [...CAMPAIGNS_OF, id],
    readPage: (page, signal) =>
      api.page('GET /campaigns', { query: { iod_id: id, limit: CAMPAIGNS_SHOWN, ...page }, signal }),
    enabled,
    staleTime: FRESH_MS,
  })
}

/** Reads the first of the user's records that contain a text, and their number, by source. */
export function useRecordsWith(q: string, enabled: boolean) {
  const { api } = useHost()
  const queries = useQueries({
    queries: SOURCES.map(source => ({
      queryKey: ['records-with', source, q],
      queryFn: async ({ signal }: { signal: AbortSignal }) => {
        const query = { q, limit: HITS_SHOWN }
        return { source, ...(await api.page('GET /:source/data', { params: { source }, query, signal })) }
      },
      enabled,
      staleTime: FRESH_MS,
    })),
  })
  const found = queries.flatMap(({ data }) => data ?? [])
  return {
    data: found.length === SOURCES.length ? found : undefined,
    error: queries.find(({ error }) => error)?.error ?? null,
    isFetching: queries.some(({ isFetching }) => isFetching),
    refetch: () => Promise.all(queries.filter(({ error }) => error).map(({ refetch }) => refetch())),
  }
}

/** Reads the first of the user's narratives that contain a text, and their number. */
export function useNarrativesWith(q: string, enabled: boolean) {
  const { api } = useHost()
  return useQuery({
    queryKey: ['narratives-with', q],
    queryFn: ({ signal }) => api.page('GET /narratives/data', { query: { q, limit: HITS_SHOWN }, signal }),
    enabled,
    staleTime: FRESH_MS,
  })
}

/** Reads the first of the user's narratives with an entity in their graph, and their number. */
export function useMentionsOf(label: string, enabled: boolean) {
  const { api } = useHost()
  const node = nodeIdOf('entity', label)
  return useQuery({
    queryKey: ['mentions-of', node],
    queryFn: ({ signal }) => api.page('GET /graph/mentions', { query: { node, limit: HITS_SHOWN }, signal }),
    enabled,
    staleTime: FRESH_MS,
  })
}

/** Reads the newest other IODs of an IOD's source, and the number of all IODs of the source. */
export function useSameSource(id: string, source: string, enabled: boolean) {
  const { api } = useHost()
  return useQuery({
    queryKey: ['iods', 'of-source', source],
    queryFn: ({ signal }) =>
      api.page('GET /iods', { query: { source, limit: NEIGHBOURS_SHOWN + 1 }, signal }),
    select: page => ({ ...page, items: page.items.filter(iod => iod.id !== id).slice(0, NEIGHBOURS_SHOWN) }),
    enabled,
    staleTime: FRESH_MS,
  })
}
