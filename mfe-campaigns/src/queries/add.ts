import type { Campaign } from '@iodine/contracts'
import { type ApiClient, useHost } from '@iodine/mfe-kit'
import { useCallback } from 'react'
import { useCampaignCache } from './campaigns'
import { useNotices } from './notices'

export interface Added {
  /** How many of the items are in. */
  done: number
  /** The campaign as the last addition left it; undefined before the first. */
  campaign: Campaign | undefined
  /** What ended it early; undefined where all are in. */
  error?: unknown
}

/**
 * Puts items into a campaign, one call after the other in their order, and tells `onStep` how many are in. `idOf` gives
 * an item's IOD, creating it where need be. At the first failure the rest is left.
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

/** The same for what is on screen, with the toasts that go with it; answers how many are in. */
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
