import { type Consensus, LIMITS } from '@iodine/contracts'
import { FRESH_MS, mergeById, usePagedValues, useQuery, useQueryClient } from '@iodine/mfe-kit/query'
import { createContext, use, useCallback } from 'react'
import { useHost } from '../use-host'

type ByIod = Readonly<Record<string, Consensus>>

const CONSENSUS = ['consensus']
const keyOf = (ids: readonly string[]) => [...CONSENSUS, ...ids]

/**
 * Reads the consensus of the IODs in view, by id, with one request per page of 50 IODs. Ids that are still loading are
 * missing. `from` and `to` are the indexes of the rows in view.
 */
export function useListConsensus(ids: readonly string[], from: number, to: number): ByIod {
  const { api } = useHost()
  const read = (page: string[], signal: AbortSignal) =>
    api.call('POST /iods/consensus', { body: { ids: page }, signal })
  return usePagedValues(
    { key: CONSENSUS, size: LIMITS.consensusPage, read, combine: mergeById<Consensus> },
    ids,
    from,
    to,
  )
}

/** The consensus of a list's IODs. */
export const ConsensusContext = createContext<ByIod>({})

/** Returns the consensus of an IOD from its list's context; undefined while it loads. */
export const useListedConsensus = (id: string): Consensus | undefined => use(ConsensusContext)[id]

/** Reads the consensus of an IOD; undefined while it loads. `enabled`: whether to send the request. */
export function useConsensus(id: string, enabled: boolean): Consensus | undefined {
  const { api } = useHost()
  const { data } = useQuery({
    queryKey: keyOf([id]),
    queryFn: ({ signal }) => api.call('POST /iods/consensus', { body: { ids: [id] }, signal }),
    enabled,
    staleTime: FRESH_MS,
  })
  return data?.[id]
}

/** Returns a function that refetches an IOD's consensus. Called after a vote. */
export function useRefreshConsensus(): (id: string) => Promise<void> {
  const client = useQueryClient()
  return useCallback(
    id =>
      client.invalidateQueries({ queryKey: CONSENSUS, predicate: ({ queryKey }) => queryKey.includes(id) }),
    [client],
  )
}
