import type { Campaign } from '@iodine/contracts'
import { useAction, useHost } from '@iodine/mfe-kit'
import { useCallback } from 'react'
import { useCampaignCache } from './campaigns'
import { failureFields, successToast, TOAST_MS } from './toasts'

const DELETE_QUESTION = 'Are you sure you want to delete this campaign? This action cannot be undone.'

/** Creates a campaign, or updates `campaign`. Resolves to whether that succeeded. */
export function useSaveCampaign(campaign: Campaign | null) {
  const { api, notify } = useHost()
  const cache = useCampaignCache()
  const save = useAction({
    mutationFn: (body: { name: string; description: string }) =>
      campaign
        ? api.call('PATCH /campaigns/:id', { params: { id: campaign.id }, body })
        : api.call('POST /campaigns', { body }),
    onSuccess: campaign ? cache.edited : cache.created,
    onError: async error => campaign && cache.failed(campaign.id, error),
    done: successToast(campaign ? 'Campaign updated successfully' : 'Campaign created successfully'),
    failed: failureFields(campaign ? 'Failed to update campaign' : 'Failed to create campaign'),
  })
  return async (body: { name: string; description: string }): Promise<boolean> => {
    if (body.name.trim() !== '') return save.run(body)
    const description = 'Campaign name is required'
    notify({ title: 'Missing information', description, status: 'warning', duration: TOAST_MS })
    return false
  }
}

/** Deletes a campaign after a confirmation. `onDeleted` is called before the campaign is removed from the lists. */
export function useDeleteCampaign(onDeleted: (id: string) => void) {
  const { api } = useHost()
  const cache = useCampaignCache()
  const { run } = useAction({
    mutationFn: (id: string) => api.call('DELETE /campaigns/:id', { params: { id } }),
    onSuccess: (_, id) => {
      onDeleted(id)
      return cache.deleted(id)
    },
    onError: (error, id) => cache.failed(id, error),
    done: successToast('Campaign deleted successfully'),
    failed: failureFields('Failed to delete campaign'),
  })
  return useCallback(
    ({ id }: Pick<Campaign, 'id'>) => {
      if (window.confirm(DELETE_QUESTION)) void run(id)
    },
    [run],
  )
}
