import type { Campaign } from '@iodine/contracts'
import { type ApiClient, useHost } from '@iodine/mfe-kit'
import { useCallback } from 'react'
import { useCampaignCache } from './campaigns'
import { useNotices } from './notices'

export interface Added {
  /** Number of items added. */
  done: number
  /** The campaign after the last addition; undefined if no item was added. */
  campaign: Campaign | undefined
  /** The error of the item that failed; undefined if all items were added. */
  error?: unknown
}

/**
 * Adds items to a campaign in order, one request each, and stops at the first failure. `onStep` receives the
 * number added so far. `idOf` resolves to the id of an item's IOD, which it may create.
 */
export async function addToCampaign<T>(
  api: ApiClient,
  campaignId: string,
  items: readonly T[],
  idOf: (item: T) => string | Promise<string>,
  onStep: (done: number) => void = () => {},
): Promise<Added> {
  let done = 0
  let campaign: Campaign | undefined
  try {
    for (const item of items) {
      const body = { iod_id: await idOf(item) }
      campaign = await api.call('POST /campaigns/:id/add-iod', { params: { id: campaignId }, body })
      onStep(++done)
    }
  } catch (error) {
    return { done, campaign, error }
  }
  return { done, campaign }
}

/** `addToCampaign` with toasts and an update of the cache. Resolves to the number of items added. */
export function useAdd(campaignId: string) {
  const { api } = useHost()
  const cache = useCampaignCache()
  const notices = useNotices()
  return useCallback(
    async <T>(
      items: readonly T[],
      idOf: (item: T) => string | Promise<string>,
      onStep: (done: number) => void,
    ): Promise<number> => {
      const { done, campaign, error } = await addToCampaign(api, campaignId, items, idOf, onStep)
      if (done === items.length) notices.success(`Added ${done} IOD(s) to the campaign`)
      else notices.failure(error, 'Failed to add IODs')
      if (campaign) await cache.grown(campaign)
      await cache.failed(campaignId, error)
      return done
    },
    [api, cache, campaignId, notices],
  )
}
