import {
  FRESH_MS,
  mergeById,
  type QueryClient,
  usePagedValues,
  useQuery,
  useQueryClient,
} from '@iodine/mfe-kit/query'
import { createContext, use } from 'react'
import { EVIDENCE } from '../add-quote'
import { useHost } from '../use-host'

/** Ids per request, equal to the rows of a page of the list. */
const PAGE = 50

type Counts = Readonly<Record<string, number>>

const COUNTS = [...EVIDENCE, 'counts']
const keyOf = (ids: readonly string[]) => [...COUNTS, ...ids]

/**
 * Reads the number of pieces of evidence of the IODs in view, by id, with one request per page of 50 IODs. IODs without
 * evidence, and ids that are still loading, are missing. `from` and `to` are the indexes of the rows in view.
 */
export function useEvidenceCounts(ids: readonly string[], from: number, to: number): Counts {
  const { api } = useHost()
  const read = (page: string[], signal: AbortSignal) =>
    api.call('POST /iods/evidence/counts', { body: { ids: page }, signal })
  return usePagedValues({ key: COUNTS, size: PAGE, read, combine: mergeById<number> }, ids, from, to)
}

/** The evidence counts of a list's IODs. */
export const EvidenceCountsContext = createContext<Counts>({})

/** Returns the evidence count of an IOD from its list's context; 0 while it loads. */
export const useListedCount = (id: string): number => use(EvidenceCountsContext)[id] ?? 0

/** Reads the evidence count of an IOD; 0 while it loads. `enabled`: whether to send the request. */
export function useEvidenceCount(id: string, enabled: boolean): number {
  const { api } = useHost()
  const client = useQueryClient()
  const { data } = useQuery({
    queryKey: keyOf([id]),
    queryFn: ({ signal }) => api.call('POST /iods/evidence/counts', { body: { ids: [id] }, signal }),
    initialData: () => listedIn(client, id)?.state.data,
    initialDataUpdatedAt: () => listedIn(client, id)?.state.dataUpdatedAt,
    enabled,
    staleTime: FRESH_MS,
  })
  return data?.[id] ?? 0
}

/** Returns the cached list request that contains the IOD's evidence count, if any. */
const listedIn = (client: QueryClient, id: string) =>
  client
    .getQueryCache()
    .findAll({
      queryKey: COUNTS,
      predicate: ({ queryKey, state }) => state.data !== undefined && queryKey.includes(id),
    })
    .at(0) as { state: { data: Counts; dataUpdatedAt: number } } | undefined
