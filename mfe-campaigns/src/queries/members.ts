import type { CampaignDetail } from '@iodine/contracts'
import { useHost } from '@iodine/mfe-kit'
import { useQuery } from '@iodine/mfe-kit/query'
import { useCallback } from 'react'
import { useCampaignCache } from './campaigns'
import { useLoadNotice, useNotices } from './notices'

/** Every IOD there is, to choose from. */
export function useAllIods(isNeeded: boolean) {
  const { api } = useHost()
  const query = useQuery({
    queryKey: ['iods', 'choices'],
    queryFn: ({ signal }) => api.call('GET /iods', { signal }),
    enabled: isNeeded,
  })
  useLoadNotice(query.error, 'Failed to load IODs')
  return query
}

/**
 * Adds IODs one after the other and tells `onStep` how many are in. Resolves to those that could not be added: at the
 * first refusal the rest is left.
 */
export function useAddIods(campaignId: string) {
  const { api } = useHost()
  const cache = useCampaignCache()
  const notices = useNotices()
  return useCallback(
    async (iodIds: string[], onStep: (done: number) => void): Promise<string[]> => {
      let done = 0
      let latest: CampaignDetail | undefined
      try {
        for (const iod_id of iodIds) {
          latest = await api.call('POST /campaigns/:id/add-iod', {
            params: { id: campaignId },
            body: { iod_id },
          })
          onStep(++done)
        }
        notices.success(`Added ${done} IOD(s) to the campaign`)
      } catch (error) {
        notices.failure(error, 'Failed to add IODs')
      }
      if (latest) cache.changed(latest)
      return iodIds.slice(done)
    },
    [api, cache, campaignId, notices],
  )
}

/** Takes an IOD out of a campaign. */
export function useRemoveIod(campaignId: string) {
  const { api } = useHost()
  const cache = useCampaignCache()
  const notices = useNotices()
  return useCallback(
    async (iodId: string): Promise<void> => {
      try {
        cache.changed(
          await api.call('POST /campaigns/:id/remove-iod', {
            params: { id: campaignId },
            body: { iod_id: iodId },
          }),
        )
        notices.success('IOD removed from campaign')
      } catch (error) {
        notices.failure(error, 'Failed to remove IOD from campaign')
      }
    },
    [api, cache, campaignId, notices],
  )
}
