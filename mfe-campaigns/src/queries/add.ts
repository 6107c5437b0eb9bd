import { type ApiClient, useAction, useHost } from '@iodine/mfe-kit'
import { useRef } from 'react'
import { useCampaignCache } from './campaigns'
import { failureFields, successToast } from './toasts'

/** Maximum number of items that are added one by one. More items are added in batches, with coarser progress. */
const ONE_BY_ONE_MAX = 20
const BATCH = 100

export interface AdditionResult {
  /** Number of items added. */
  done: number
  /** The error of the item or batch that failed; undefined if all items were added. */
  error?: unknown
}

/** Adds IODs to a campaign in order: few one by one, many in batches of 100. `onStep` receives the number added. */
export async function addIods(
  api: ApiClient,
  campaignId: string,
  ids: readonly string[],
  onStep: (done: number) => void,
): Promise<AdditionResult> {
  const params = { id: campaignId }
  const isFew = ids.length <= ONE_BY_ONE_MAX
  let done = 0
  try {
    for (const id of isFew ? ids : []) {
      await api.call('POST /campaigns/:id/add-iod', { params, body: { iod_id: id } })
      onStep(++done)
    }
    while (done < ids.length) {
      const iod_ids = ids.slice(done, done + BATCH)
      const { unknown } = await api.call('POST /campaigns/:id/add-iods', { params, body: { iod_ids } })
      if (unknown.length > 0) throw new Error(`Unknown IODs: ${unknown.length}`)
      done += iod_ids.length
      onStep(done)
    }
  } catch (error) {
    return { done, error }
  }
  return { done }
}

interface Addition {
  ids: readonly string[]
  /** Receives the number of IODs added so far. */
  onStep: (done: number) => void
}

/** Adds IODs to a campaign. IODs added before a failure remain. */
export function useAdd(campaignId: string) {
  const { api } = useHost()
  const cache = useCampaignCache()
  const added = useRef(0)
  return useAction({
    mutationFn: async ({ ids, onStep }: Addition) => {
      const { done, error } = await addIods(api, campaignId, ids, onStep)
      added.current = done
      if (error) throw error
    },
    onSettled: async (_, error) => {
      if (added.current > 0) await cache.grown(campaignId)
      await cache.failed(campaignId, error)
    },
    done: (_, { ids }) => successToast(`Added ${ids.length} IOD(s) to the campaign`),
    failed: failureFields('Failed to add IODs'),
  })
}
