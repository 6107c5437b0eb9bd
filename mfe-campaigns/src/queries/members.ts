import { useHost } from '@iodine/mfe-kit'
import { useQuery } from '@iodine/mfe-kit/query'
import { useCallback, useRef } from 'react'
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

/** Takes an IOD out of a campaign. */
export function useRemoveIod(campaignId: string) {
  const { api } = useHost()
  const cache = useCampaignCache()
  const notices = useNotices()
  // One after the other: each answer holds all that are left, and an older one must not come last.
  const last = useRef(Promise.resolve())
  return useCallback(
    (iodId: string): Promise<void> => {
      const remove = async () => {
        try {
          const request = { params: { id: campaignId }, body: { iod_id: iodId } }
          await cache.changed(await api.call('POST /campaigns/:id/remove-iod', request))
          notices.success('IOD removed from campaign')
        } catch (error) {
          notices.failure(error, 'Failed to remove IOD from campaign', { withDetail: false })
          await cache.failed(campaignId, error)
        }
      }
      last.current = last.current.then(remove)
      return last.current
    },
    [api, cache, campaignId, notices],
  )
}
