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

/** IODs of a request; the rows of a page of the list. */
const PAGE = 50

type Counts = Readonly<Record<string, number>>

const COUNTS = [...EVIDENCE, 'counts']
const keyOf = (ids: readonly string[]) => [...COUNTS, ...ids]

/**
 * Numbers of the evidence of the IODs in view, by id; those without any, and those not known yet, are missing.
 * One request a page of 50 IODs. `from` and `to` are the indexes of the rows in view.
 */
export function useEvidenceCounts(ids: readonly string[], from: number, to: number): Counts {
  const { api } = useHost()
  const read = (page: string[], signal: AbortSignal) =>
    api.call('POST /iods/evidence/counts', { body: { ids: page }, signal })
  return usePagedValues({ key: COUNTS, size: PAGE, read, combine: mergeById<number> }, ids, from, to)
}

/** The counts of a list's rows. */
export const EvidenceCountsContext = createContext<Counts>({})

/** The number of an IOD's evidence, as its list knows it; 0 until it does. */
export const useListedCount = (id: string): number => use(EvidenceCountsContext)[id] ?? 0

/** The number of an IOD's evidence; 0 until it is known. `enabled`: whether the server may be asked. */
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

/** The request of a list's page that counted the IOD's evidence, if there was one. */
const listedIn = (client: QueryClient, id: string) =>
  client
    .getQueryCache()
    .findAll({
      queryKey: COUNTS,
      predicate: ({ queryKey, state }) => state.data !== undefined && queryKey.includes(id),
    })
    .at(0) as { state: { data: Counts; dataUpdatedAt: number } } | undefined
