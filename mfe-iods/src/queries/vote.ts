import { foldValue, type Iod, type VoteType } from '@iodine/contracts'
import { hasStatus, useAction, useHost } from '@iodine/mfe-kit'
import { useRefreshConsensus } from '@iodine/mfe-kit/consensus'
import { holdReads, useQueryClient } from '@iodine/mfe-kit/query'
import { useCallback } from 'react'
import { withVote } from '../model/votes'
import { IOD_KEY } from './iod'
import { type IodPages, LIST_KEY } from './list'

const CONFLICT = 409

interface Ballot {
  iod: Iod
  voteType: VoteType
}

/**
 * Casts a vote with an optimistic update, which a rejection rolls back. Running requests for IODs are cancelled and
 * restarted after the vote, so that they do not overwrite it.
 */
export function useVote(): (iod: Iod, voteType: VoteType) => void {
  const { api, session } = useHost()
  const queryClient = useQueryClient()
  const refreshConsensus = useRefreshConsensus()
  const hold = () => holdReads(queryClient, LIST_KEY, IOD_KEY)
  const show = (next: Iod) => {
    queryClient.setQueriesData<IodPages>(
      { queryKey: LIST_KEY },
      current => current && { ...current, pages: current.pages.map(page => replaceIod(page, next)) },
    )
    queryClient.setQueryData<Iod>([...IOD_KEY, next.id], current => current && next)
  }
  const { run } = useAction({
    mutationFn: ({ iod, voteType }: Ballot) =>
      api.call('POST /iods/:id/vote', { params: { id: iod.id }, body: { vote_type: voteType } }),
    onMutate: async ({ iod, voteType }) => {
      const resume = await hold()
      show(withVote(iod, session.user, voteType))
      return resume
    },
    onSuccess: async voted => {
      const resume = await hold()
      show(voted)
      resume()
      void refreshConsensus(voted.id)
    },
    onError: async (error, { iod }) => {
      show(iod)
      if (!hasStatus(error, CONFLICT)) return
      // The user has voted in another tab or on another device: display that vote.
      const values = [foldValue(iod.value)]
      const current = await api.call('POST /iods/lookup', { body: { values } }).catch(() => [])
      for (const found of current) show(found)
    },
    onSettled: (_voted, _error, _ballot, resume) => resume?.(),
    done: { title: 'Vote enregistré', lang: 'fr' },
    failed: { title: 'Erreur', description: 'Une erreur est survenue lors du vote', lang: 'fr' },
  })
  return useCallback((iod, voteType) => void run({ iod, voteType }), [run])
}

const replaceIod = <P extends IodPages['pages'][number]>(page: P, next: Iod): P =>
  page.items.some(iod => iod.id === next.id)
    ? { ...page, items: page.items.map(iod => (iod.id === next.id ? next : iod)) }
    : page
