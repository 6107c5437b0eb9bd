import { foldValue, type Iod, type VoteType } from '@iodine/contracts'
import { errorToast, hasStatus, holdReads, useHost } from '@iodine/mfe-kit'
import { useRefreshConsensus } from '@iodine/mfe-kit/consensus'
import { useQueryClient } from '@iodine/mfe-kit/query'
import { useCallback } from 'react'
import { withVote } from '../model/votes'
import { ONE } from './iod'
import { type IodPages, LISTS } from './list'

const CONFLICT = 409

/**
 * Casts a vote with an optimistic update. If the server refuses it, the vote is removed and a toast shows the
 * error. Reads of IODs under way at the click, or begun before the answer, wait for the vote.
 */
export function useVote(): (iod: Iod, voteType: VoteType) => Promise<void> {
  const { api, notify, session } = useHost()
  const queryClient = useQueryClient()
  const refreshConsensus = useRefreshConsensus()
  const { user } = session
  return useCallback(
    async (iod, voteType) => {
      const show = (next: Iod) => {
        queryClient.setQueriesData<IodPages>(
          { queryKey: LISTS },
          current => current && { ...current, pages: current.pages.map(page => replaceIod(page, next)) },
        )
        queryClient.setQueryData<Iod>([...ONE, next.id], current => current && next)
      }
      const hold = () => holdReads(queryClient, LISTS, ONE)
      const resumeFirst = await hold()
      show(withVote(iod, user, voteType))
      try {
        const request = { params: { id: iod.id }, body: { vote_type: voteType } }
        const voted = await api.call('POST /iods/:id/vote', request)
        const resumeSecond = await hold()
        show(voted)
        resumeSecond()
        void refreshConsensus(iod.id)
        notify({ title: 'Vote enregistré', status: 'success', lang: 'fr' })
      } catch (error) {
        show(iod)
        notify(errorToast(error, 'Une erreur est survenue lors du vote', { title: 'Erreur', lang: 'fr' }))
        if (!hasStatus(error, CONFLICT)) return
        // The user has voted in another tab or on another device: display that vote.
        const values = [foldValue(iod.value)]
        const current = await api.call('POST /iods/lookup', { body: { values } }).catch(() => [])
        for (const found of current) show(found)
      } finally {
        resumeFirst()
      }
    },
    [api, notify, queryClient, refreshConsensus, user],
  )
}

const replaceIod = <P extends IodPages['pages'][number]>(page: P, next: Iod): P =>
  page.items.some(iod => iod.id === next.id)
    ? { ...page, items: page.items.map(iod => (iod.id === next.id ? next : iod)) }
    : page
