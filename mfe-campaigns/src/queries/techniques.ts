import type { CampaignTechnique } from '@iodine/contracts'
import type { Technique } from '@iodine/exchange/disarm'
import { type Action, errorToast, useAction, useHost } from '@iodine/mfe-kit'
import { type UseQueryResult, useQuery, useQueryClient, writeOver } from '@iodine/mfe-kit/query'
import { useCallback } from 'react'
import { useCampaignCache } from './campaigns'
import { TOAST_MS } from './toasts'

const techniquesKey = (campaignId: string) => ['campaigns', 'techniques', campaignId]

export interface CampaignTechniques {
  query: UseQueryResult<CampaignTechnique[]>
  add: (tid: string) => void
  remove: (tid: string) => void
  /** Removes, with a toast that offers to add it again. */
  removeUndoably: (tid: string, name: string) => void
}

/** The techniques of DISARM that a campaign uses. A change shows at once, and is undone if the service refuses it. */
export function useTechniques(campaignId: string): CampaignTechniques {
  const { api, session } = useHost()
  const queryClient = useQueryClient()
  const cache = useCampaignCache()
  const queryKey = techniquesKey(campaignId)
  const query = useQuery({
    queryKey,
    queryFn: ({ signal }) =>
      api.call('GET /campaigns/:id/techniques', { params: { id: campaignId }, signal }),
  })
  const { run }: Action<Change> = useAction({
    mutationKey: queryKey,
    // One after the other: the answer to the last one is the state after all of them.
    scope: { id: queryKey.join(' ') },
    mutationFn: ({ tid, isUsed }: Change) =>
      api.call(isUsed ? 'PUT /campaigns/:id/techniques/:tid' : 'DELETE /campaigns/:id/techniques/:tid', {
        params: { id: campaignId, tid },
      }),
    onMutate: ({ tid, isUsed }) => {
      const { id: by, username } = session.user
      const technique = { id: tid, by, by_username: username ?? null, at: new Date().toISOString() }
      // A reading under way may answer what was before.
      void queryClient.cancelQueries({ queryKey })
      queryClient.setQueryData<CampaignTechnique[]>(queryKey, current => {
        const others = current?.filter(({ id }) => id !== tid)
        return others && (isUsed ? [...others, technique] : others)
      })
    },
    onSuccess: async techniques => {
      if (queryClient.isMutating({ mutationKey: queryKey }) === 1)
        await writeOver(queryClient, [queryKey], () => queryClient.setQueryData(queryKey, techniques))
    },
    onError: async error => {
      await queryClient.refetchQueries({ queryKey })
      await cache.failed(campaignId, error)
    },
    done: (_, { tid, name }) =>
      name === undefined
        ? null
        : {
            title: `Technique removed: ${name}`,
            key: tid,
            action: { text: 'Undo', onClick: () => void run({ tid, isUsed: true }) },
          },
    failed: (error, { isUsed }) =>
      errorToast(error, isUsed ? 'Failed to add the technique' : 'Failed to remove the technique', {
        duration: TOAST_MS,
      }),
  })
  return {
    query,
    add: useCallback((tid: string) => void run({ tid, isUsed: true }), [run]),
    remove: useCallback((tid: string) => void run({ tid, isUsed: false }), [run]),
    removeUndoably: (tid, name) => void run({ tid, isUsed: false, name }),
  }
}

interface Change {
  tid: string
  isUsed: boolean
  /** Of a technique whose removal a toast offers to undo. */
  name?: string
}

/** The list of DISARM's techniques, which is loaded once it is needed. */
export const useTechniqueList = (isNeeded: boolean): UseQueryResult<readonly Technique[]> =>
  useQuery({
    queryKey: ['disarm'],
    queryFn: async (): Promise<readonly Technique[]> => {
      const { TECHNIQUES } = await import('@iodine/exchange/disarm')
      return TECHNIQUES
    },
    enabled: isNeeded,
    staleTime: Number.POSITIVE_INFINITY,
  })
