import { foldValue, type Iod, type VoteType } from '@iodine/contracts'
import { errorToast, hasStatus, useHost } from '@iodine/mfe-kit'
import { useQueryClient } from '@iodine/mfe-kit/query'
import { useCallback } from 'react'
import { withVote } from '../model/votes'
import { ONE } from './iod'
import { type IodPages, LISTS } from './list'

const CONFLICT = 409

/**
 * Casts a vote with an optimistic update. If the server refuses it, the vote is removed and a toast shows the
 * error.
 */
export function useVote(): (iod: Iod, voteType: VoteType) => Promise<void> {
  const { api, notify, session } = useHost()
  const queryClient = useQueryClient()
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
      show(withVote(iod, user, voteType))
      try {
        show(await api.call('POST /iods/:id/vote', { params: { id: iod.id }, body: { vote_type: voteType } }))
        notify({ title: 'Vote enregistré', status: 'success' })
      } catch (error) {
        show(iod)
        notify(errorToast(error, 'Une erreur est survenue lors du vote', { title: 'Erreur' }))
        if (!hasStatus(error, CONFLICT)) return
        // The user has voted in another tab or on another device: display that vote.
        const values = [foldValue(iod.value)]
        const current = await api.call('POST /iods/lookup', { body: { values } }).catch(() => [])
        for (const found of current) show(found)
      }
    },
    [api, notify, queryClient, user],
  )
}

const replaceIod = <P extends IodPages['pages'][number]>(page: P, next: Iod): P =>
  page.items.some(iod => iod.id === next.id)
    ? { ...page, items: page.items.map(iod => (iod.id === next.id ? next : iod)) }
    : page
