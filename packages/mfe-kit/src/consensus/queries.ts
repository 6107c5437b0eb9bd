import { type Consensus, LIMITS } from '@iodine/contracts'
import { FRESH_MS, mergeById, usePagedValues, useQuery, useQueryClient } from '@iodine/mfe-kit/query'
import { createContext, use, useCallback } from 'react'
import { useHost } from '../use-host'

type ByIod = Readonly<Record<string, Consensus>>

const CONSENSUS = ['consensus']
const keyOf = (ids: readonly string[]) => [...CONSENSUS, ...ids]

/**
 * Consensus of the IODs in view, by id; those not known yet are missing. One request a page of 50 IODs. `from`
 * and `to` are the indexes of the rows in view.
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

/** The consensus of a list's rows. */
export const ConsensusContext = createContext<ByIod>({})

/** The consensus of an IOD as its list knows it; undefined until it does. */
export const useListedConsensus = (id: string): Consensus | undefined => use(ConsensusContext)[id]

/** The consensus of an IOD; undefined until it is known. `enabled`: whether the server may be asked. */
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

/** Returns a function that reads an IOD's consensus again where it is shown. Called after a vote. */
export function useRefreshConsensus(): (id: string) => Promise<void> {
  const client = useQueryClient()
  return useCallback(
    id =>
      client.invalidateQueries({ queryKey: CONSENSUS, predicate: ({ queryKey }) => queryKey.includes(id) }),
    [client],
  )
}
