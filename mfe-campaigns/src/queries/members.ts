import { useHost } from '@iodine/mfe-kit'
import { useCallback, useRef } from 'react'
import { useCampaignCache } from './campaigns'
import { useNotices } from './notices'

/** Removes an IOD from a campaign, with a toast that offers to add it again. */
export function useRemoveIod(campaignId: string) {
  const { api } = useHost()
  const cache = useCampaignCache()
  const notices = useNotices()
  // Requests are sent sequentially: each response contains the whole list, and the newest must be applied
  // last.
  const last = useRef(Promise.resolve())
  return useCallback(
    (iodId: string): Promise<void> => {
      const request = { params: { id: campaignId }, body: { iod_id: iodId } }
      const addAgain = async () => {
        try {
          await api.call('POST /campaigns/:id/add-iod', request)
          await cache.grown(campaignId)
        } catch (error) {
          notices.failure(error, 'Failed to add IODs')
          await cache.failed(campaignId, error)
        }
      }
      const remove = async () => {
        try {
          await cache.changed(await api.call('POST /campaigns/:id/remove-iod', request))
          notices.undoable('IOD removed from campaign', iodId, () => {
            last.current = last.current.then(addAgain)
          })
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
