import type { CampaignTechnique } from '@iodine/contracts'
import type { Technique } from '@iodine/exchange/disarm'
import { useHost, writeOver } from '@iodine/mfe-kit'
import { type UseQueryResult, useQuery, useQueryClient } from '@iodine/mfe-kit/query'
import { useMemo, useRef } from 'react'
import { useCampaignCache } from './campaigns'
import { useNotices } from './notices'

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
  const notices = useNotices()
  const query = useQuery({
    queryKey: techniquesKey(campaignId),
    queryFn: ({ signal }) =>
      api.call('GET /campaigns/:id/techniques', { params: { id: campaignId }, signal }),
  })
  // Changes are sent one after the other: the answer to the last one is the state after all of them.
  const last = useRef(Promise.resolve(true))
  const waiting = useRef(0)
  const changes = useMemo(() => {
    const queryKey = techniquesKey(campaignId)
    const change = (tid: string, isUsed: boolean): Promise<boolean> => {
      const { id: by, username } = session.user
      const technique = { id: tid, by, by_username: username ?? null, at: new Date().toISOString() }
      const send = async () => {
        const request = { params: { id: campaignId, tid } }
        try {
          const techniques = await (isUsed
            ? api.call('PUT /campaigns/:id/techniques/:tid', request)
            : api.call('DELETE /campaigns/:id/techniques/:tid', request))
          if (waiting.current === 1)
            await writeOver(queryClient, [queryKey], () => queryClient.setQueryData(queryKey, techniques))
          return true
        } catch (error) {
          notices.failure(error, isUsed ? 'Failed to add the technique' : 'Failed to remove the technique')
          await queryClient.refetchQueries({ queryKey })
          await cache.failed(campaignId, error)
          return false
        } finally {
          waiting.current--
        }
      }
      waiting.current++
      // A reading under way may answer what was before.
      void queryClient.cancelQueries({ queryKey })
      queryClient.setQueryData<CampaignTechnique[]>(queryKey, current => {
        const others = current?.filter(({ id }) => id !== tid)
        return others && (isUsed ? [...others, technique] : others)
      })
      last.current = last.current.then(send)
      return last.current
    }
    return {
      add: (tid: string) => void change(tid, true),
      remove: (tid: string) => void change(tid, false),
      removeUndoably: async (tid: string, name: string) => {
        if (await change(tid, false))
          notices.undoable(`Technique removed: ${name}`, tid, () => void change(tid, true))
      },
    }
  }, [api, cache, campaignId, notices, queryClient, session])
  return { query, ...changes }
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
