import { type ApiClient, useHost } from '@iodine/mfe-kit'
import { useMemo } from 'react'
import { useCampaignCache } from './campaigns'
import { useNotices } from './notices'

/** More items than this are added in batches, whose progress is coarser. */
const ONE_BY_ONE_MAX = 20
const BATCH = 100

export interface Added {
  /** Number of items added. */
  done: number
  /** The error of the item or batch that failed; undefined if all items were added. */
  error?: unknown
}

/** Adds IODs to a campaign in order, one request each, and stops at the first failure. `onStep` receives the number added so far. */
async function addOneByOne(
  api: ApiClient,
  campaignId: string,
  ids: readonly string[],
  onStep: (done: number) => void,
): Promise<Added> {
  let done = 0
  try {
    for (const iod_id of ids) {
      await api.call('POST /campaigns/:id/add-iod', { params: { id: campaignId }, body: { iod_id } })
      onStep(++done)
    }
  } catch (error) {
    return { done, error }
  }
  return { done }
}

/** Adds IODs to a campaign in order: a few one by one, many with a request for each 100. */
export async function addIods(
  api: ApiClient,
  campaignId: string,
  ids: readonly string[],
  onStep: (done: number) => void,
): Promise<Added> {
  if (ids.length <= ONE_BY_ONE_MAX) return addOneByOne(api, campaignId, ids, onStep)
  const params = { id: campaignId }
  let done = 0
  try {
    while (done < ids.length) {
      const iod_ids = ids.slice(done, done + BATCH)
      const { unknown } = await api.call('POST /campaigns/:id/add-iods', { params, body: { iod_ids } })
      if (unknown.length > 0) throw new Error(`${unknown.length} IOD(s) are unknown.`)
      done += iod_ids.length
      onStep(done)
    }
  } catch (error) {
    return { done, error }
  }
  return { done }
}

/** Additions with toasts and an update of the cache. Resolves to the number of IODs added. */
export function useAdd(campaignId: string) {
  const { api } = useHost()
  const cache = useCampaignCache()
  const notices = useNotices()
  return useMemo(() => {
    const finish = async ({ done, error }: Added, total: number): Promise<number> => {
      if (done === total) notices.success(`Added ${done} IOD(s) to the campaign`)
      else notices.failure(error, 'Failed to add IODs')
      if (done > 0) await cache.grown(campaignId)
      await cache.failed(campaignId, error)
      return done
    }
    return {
      addIods: async (ids: readonly string[], onStep: (done: number) => void): Promise<number> =>
        finish(await addIods(api, campaignId, ids, onStep), ids.length),
    }
  }, [api, cache, campaignId, notices])
}
