import { errorToast, useAction, useHost } from '@iodine/mfe-kit'
import { useCampaignCache } from './campaigns'
import { failureFields, TOAST_MS } from './toasts'

/** Removes an IOD from a campaign, with a toast that offers to add it again. */
export function useRemoveIod(campaignId: string): (iodId: string) => Promise<boolean> {
  const { api } = useHost()
  const cache = useCampaignCache()
  // Sequential: each response contains the whole list, and the newest must be applied last.
  const scope = { id: `members of ${campaignId}` }
  const requestOf = (iod_id: string) => ({ params: { id: campaignId }, body: { iod_id } })
  const onError = (error: Error) => cache.failed(campaignId, error)
  const { run: addAgain } = useAction({
    scope,
    mutationFn: (iodId: string) => api.call('POST /campaigns/:id/add-iod', requestOf(iodId)),
    onSuccess: () => cache.grown(campaignId),
    onError,
    failed: failureFields('Failed to add IODs'),
  })
  const { run: remove } = useAction({
    scope,
    mutationFn: (iodId: string) => api.call('POST /campaigns/:id/remove-iod', requestOf(iodId)),
    onSuccess: cache.changed,
    onError,
    done: (_, iodId) => ({
      title: 'IOD removed from campaign',
      key: iodId,
      action: { text: 'Undo', onClick: () => void addAgain(iodId) },
    }),
    failed: () => errorToast(null, 'Failed to remove IOD from campaign', { duration: TOAST_MS }),
  })
  return remove
}
