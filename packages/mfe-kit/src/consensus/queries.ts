import { type Consensus, LIMITS } from '@iodine/contracts'
import { useQueryClient } from '@iodine/mfe-kit/query'
import { useCallback } from 'react'
import { listedValues } from '../listed-values'

const KEY = ['consensus']

const consensus = listedValues<Consensus>(KEY, LIMITS.consensusPage, (api, ids, signal) =>
  api.call('POST /iods/consensus', { body: { ids }, signal }),
)

/** Reads the consensus of the IODs in view, by id. */
export const useListConsensus = consensus.useList

/** The consensus of a list's IODs. */
export const ConsensusContext = consensus.Context

/** Returns the consensus of an IOD from its list's context; undefined while it loads. */
export const useListedConsensus = consensus.useListed

/** Reads the consensus of an IOD; undefined while it loads. `enabled`: whether to send the request. */
export const useConsensus = consensus.useOne

/** Returns a function that refetches an IOD's consensus. Called after a vote. */
export function useRefreshConsensus(): (id: string) => Promise<void> {
  const client = useQueryClient()
  return useCallback(
    id => client.invalidateQueries({ queryKey: KEY, predicate: ({ queryKey }) => queryKey.includes(id) }),
    [client],
  )
}
