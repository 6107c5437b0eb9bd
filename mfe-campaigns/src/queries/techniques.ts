import type { CampaignTechnique } from '@iodine/contracts'
import type { Successors, Technique } from '@iodine/exchange/disarm'
import { type Action, errorToast, useAction, useHost } from '@iodine/mfe-kit'
import { type UseQueryResult, useQuery, useQueryClient, writeOver } from '@iodine/mfe-kit/query'
import { useCallback } from 'react'
import { useCampaignCache } from './campaigns'
import { failureFields, successToast, TOAST_MS } from './toasts'

export const techniquesKey = (campaignId: string) => ['campaigns', 'techniques', campaignId]

/** Query key of the techniques of all campaigns. */
export const USE_COUNTS = ['campaigns', 'use-counts']
/** Query key prefix of the campaigns with a technique. */
export const CAMPAIGNS_WITH = ['campaigns', 'with']

export type CampaignTechniques = ReturnType<typeof useTechniques>

/**
 * Reads and changes the DISARM techniques of a campaign. Changes are displayed at once, and rolled back if the service
 * rejects them.
 */
export function useTechniques(campaignId: string) {
  const { api, session } = useHost()
  const queryClient = useQueryClient()
  const cache = useCampaignCache()
  const queryKey = techniquesKey(campaignId)
  const query = useQuery({
    queryKey,
    queryFn: ({ signal }) =>
      api.call('GET /campaigns/:id/techniques', { params: { id: campaignId }, signal }),
  })
  // Sequential: the response to the last request is the final state.
  const changing = { scope: { id: queryKey.join(' ') }, invalidates: [USE_COUNTS, CAMPAIGNS_WITH] }
  const { run }: Action<Change> = useAction({
    ...changing,
    mutationKey: queryKey,
    mutationFn: ({ tid, isUsed }: Change) =>
      api.call(isUsed ? 'PUT /campaigns/:id/techniques/:tid' : 'DELETE /campaigns/:id/techniques/:tid', {
        params: { id: campaignId, tid },
      }),
    onMutate: ({ tid, isUsed }) => {
      const { id: by, username } = session.user
      const technique: CampaignTechnique = {
        id: tid,
        by,
        by_username: username ?? null,
        at: new Date().toISOString(),
        until: null,
        quotes: 0,
        iods: 0,
      }
      // A running request may return the state before the change.
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
  const replacing = useAction({
    ...changing,
    mutationFn: ({ tid, successors }: { tid: string; successors: readonly string[] }) =>
      api.call('POST /campaigns/:id/techniques/:tid/replace', {
        params: { id: campaignId, tid },
        body: { with: [...successors] },
      }),
    onSuccess: techniques =>
      writeOver(queryClient, [queryKey], () => queryClient.setQueryData(queryKey, techniques)),
    onError: error => cache.failed(campaignId, error),
    done: (_, { tid, successors }) => successToast(`${tid} replaced by ${successors.join(' and ')}`),
    failed: failureFields('Failed to replace the technique'),
  })
  return {
    query,
    replace: (tid: string, successors: readonly string[]) => void replacing.run({ tid, successors }),
    add: useCallback((tid: string) => void run({ tid, isUsed: true }), [run]),
    remove: useCallback((tid: string) => void run({ tid, isUsed: false }), [run]),
    /** Removes the technique, with a toast that offers to add it again. */
    removeUndoably: (tid: string, name: string) => void run({ tid, isUsed: false, name }),
  }
}

interface Change {
  tid: string
  isUsed: boolean
  /** Set if a toast offers to undo the removal. */
  name?: string
}

/** A technique, with the successors of an obsolete one. */
export interface ListedTechnique extends Technique {
  successors: Successors | undefined
}

/** Reads the list of DISARM techniques, which is loaded on demand. */
export const useTechniqueList = (isNeeded: boolean): UseQueryResult<readonly ListedTechnique[]> =>
  useQuery({
    queryKey: ['disarm'],
    queryFn: async (): Promise<readonly ListedTechnique[]> => {
      const { successorsOf, TECHNIQUES } = await import('@iodine/exchange/disarm')
      return TECHNIQUES.map(technique => ({ ...technique, successors: successorsOf(technique.id) }))
    },
    enabled: isNeeded,
    staleTime: Number.POSITIVE_INFINITY,
  })
