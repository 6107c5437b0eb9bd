import type { Campaign } from '@iodine/contracts'
import { useHost } from '@iodine/mfe-kit'
import { useCallback } from 'react'
import { useCampaignCache } from './campaigns'
import { useNotices } from './notices'

const DELETE_QUESTION = 'Are you sure you want to delete this campaign? This action cannot be undone.'

/** Creates a campaign, or updates `campaign`. Resolves to whether that succeeded. */
export function useSaveCampaign(campaign: Campaign | null) {
  const { api } = useHost()
  const cache = useCampaignCache()
  const notices = useNotices()
  return useCallback(
    async (body: { name: string; description: string }): Promise<boolean> => {
      if (body.name.trim() === '') {
        notices.warning('Missing information', 'Campaign name is required')
        return false
      }
      try {
        if (campaign) {
          await cache.edited(await api.call('PATCH /campaigns/:id', { params: { id: campaign.id }, body }))
        } else {
          await cache.created(await api.call('POST /campaigns', { body }))
        }
      } catch (error) {
        notices.failure(error, campaign ? 'Failed to update campaign' : 'Failed to create campaign')
        if (campaign) await cache.failed(campaign.id, error)
        return false
      }
      notices.success(campaign ? 'Campaign updated successfully' : 'Campaign created successfully')
      return true
    },
    [api, cache, campaign, notices],
  )
}

/**
 * Deletes a campaign after a confirmation. `onDeleted` is called before the campaign is removed from the
 * lists.
 */
export function useDeleteCampaign(onDeleted: (id: string) => void) {
  const { api } = useHost()
  const cache = useCampaignCache()
  const notices = useNotices()
  return useCallback(
    async ({ id }: Pick<Campaign, 'id'>): Promise<void> => {
      if (!window.confirm(DELETE_QUESTION)) return
      try {
        await api.call('DELETE /campaigns/:id', { params: { id } })
      } catch (error) {
        notices.failure(error, 'Failed to delete campaign')
        await cache.failed(id, error)
        return
      }
      onDeleted(id)
      await cache.deleted(id)
      notices.success('Campaign deleted successfully')
    },
    [api, cache, notices, onDeleted],
  )
}
