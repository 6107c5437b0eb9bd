import { nodeIdOf, SOURCES } from '@iodine/contracts'
import { useHost, withData } from '@iodine/mfe-kit'
import { usePagedQuery, useQueries } from '@iodine/mfe-kit/query'
import { CAMPAIGNS_OF } from './campaigns'
import { FRESH_MS } from './iod'

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

/** Reads the first of the user's records that contain a text, by source, and their number. */
export function useRecordsWith(q: string, enabled: boolean) {
  const { api } = useHost()
  const queries = useQueries({
    queries: SOURCES.map(source => ({
      queryKey: ['records-with', source, q],
      queryFn: async ({ signal }: { signal: AbortSignal }) => {
        const query = { q, limit: HITS_SHOWN }
        const { items, total } = await api.page('GET /:source/data', { params: { source }, query, signal })
        return { source, items, total: total ?? items.length }
      },
      enabled,
      staleTime: FRESH_MS,
    })),
  })
  const found = queries.flatMap(({ data }) => data ?? [])
  const isComplete = found.length === SOURCES.length
  return {
    data: isComplete ? found.filter(({ items }) => items.length > 0) : undefined,
    total: isComplete ? found.reduce((sum, { total }) => sum + total, 0) : null,
    error: queries.find(({ error }) => error)?.error ?? null,
    isFetching: queries.some(({ isFetching }) => isFetching),
    refetch: () => Promise.all(queries.filter(({ error }) => error).map(({ refetch }) => refetch())),
  }
}

/** Reads the first of the user's narratives that contain a text, and their number. */
export function useNarrativesWith(q: string, enabled: boolean) {
  const { api } = useHost()
  return usePagedQuery({
    queryKey: ['narratives-with', q],
    readPage: (page, signal) =>
      api.page('GET /narratives/data', { query: { q, limit: HITS_SHOWN, ...page }, signal }),
    enabled,
    staleTime: FRESH_MS,
  })
}

/** Reads the first of the user's narratives with an entity in their graph, and their number. */
export function useMentionsOf(label: string, enabled: boolean) {
  const { api } = useHost()
  const node = nodeIdOf('entity', label)
  return usePagedQuery({
    queryKey: ['mentions-of', node],
    readPage: (page, signal) =>
      api.page('GET /graph/mentions', { query: { node, limit: HITS_SHOWN, ...page }, signal }),
    enabled,
    staleTime: FRESH_MS,
  })
}

/** Reads the newest other IODs of an IOD's source, and their number. */
export function useSameSource(id: string, source: string, enabled: boolean) {
  const { api } = useHost()
  const query = usePagedQuery({
    queryKey: ['iods', 'of-source', source],
    readPage: (page, signal) =>
      api.page('GET /iods', { query: { source, limit: NEIGHBOURS_SHOWN + 1, ...page }, signal }),
    enabled,
    staleTime: FRESH_MS,
  })
  const others = query.items?.filter(iod => iod.id !== id).slice(0, NEIGHBOURS_SHOWN)
  return { ...withData(query, others), total: query.total && query.total - 1 }
}
