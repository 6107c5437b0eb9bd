import { useHost } from '@iodine/mfe-kit'
import { useCallback, useRef } from 'react'
import { useCampaignCache } from './campaigns'
import { useNotices } from './notices'

/** Removes an IOD from a campaign. */
export function useRemoveIod(campaignId: string) {
  const { api } = useHost()
  const cache = useCampaignCache()
  const notices = useNotices()
  // Requests are sent sequentially: each response contains the whole list, and the newest must be applied
  // last.
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
