import { type Campaign, LIMITS } from '@iodine/contracts'
import { type ApiClient, errorDetail, errorToast, isUnauthorized, paths, useHost } from '@iodine/mfe-kit'
import { keepPreviousData, useQuery, useQueryClient } from '@iodine/mfe-kit/query'
import { formatCount, truncate } from '@iodine/ui'
import { useCallback } from 'react'

/** Campaigns that a search shows. */
const SHOWN_MAX = 50
const CAMPAIGNS = ['campaigns', 'found']
const NAME_CHARS = 60

/** The newest campaigns whose name contains a text, and the number of all of them. */
export function useCampaignSearch(text: string) {
  const { api } = useHost()
  const q = text.trim().slice(0, LIMITS.searchMax)
  return useQuery({
    queryKey: [...CAMPAIGNS, q],
    queryFn: async ({ signal }) => {
      const query = { ...(q && { q }), limit: SHOWN_MAX }
      const { items, total } = await api.page('GET /campaigns', { query, signal })
      return { campaigns: items, total: total ?? items.length }
    },
    placeholderData: keepPreviousData,
  })
}

interface Addition {
  added: number
  /** IODs that were in the campaign before. */
  already: number
  /** IODs that no longer exist. */
  unknown: number
  /** The error of the request that failed; those after it were not sent. */
  error?: unknown
}

/** Adds IODs to a campaign in batches of 500. `onStep` receives the number of IODs dealt with so far. */
async function addInBatches(
  api: ApiClient,
  campaignId: string,
  ids: readonly string[],
  onStep: (done: number) => void,
): Promise<Addition> {
  const sum: Addition = { added: 0, already: 0, unknown: 0 }
  const params = { id: campaignId }
  for (let from = 0; from < ids.length; from += LIMITS.addedIodsMax) {
    const iod_ids = ids.slice(from, from + LIMITS.addedIodsMax)
    try {
      const answer = await api.call('POST /campaigns/:id/add-iods', { params, body: { iod_ids } })
      sum.added += answer.added.length
      sum.already += answer.already.length
      sum.unknown += answer.unknown.length
    } catch (error) {
      return { ...sum, error }
    }
    onStep(from + iod_ids.length)
  }
  return sum
}

const sentences = (name: string, { already, unknown }: Addition): string =>
  [
    `“${truncate(name, NAME_CHARS)}”.`,
    already > 0 && `${formatCount(already)} IOD(s) were in it already.`,
    unknown > 0 && `${formatCount(unknown)} IOD(s) no longer exist.`,
  ]
    .filter(Boolean)
    .join(' ')

/** Functions that create a campaign, and add IODs to one. Both tell their result as a toast. */
export function useAddToCampaign() {
  const { api, notify, navigate } = useHost()
  const queryClient = useQueryClient()
  /** Null after a failure. */
  const create = useCallback(
    async (body: { name: string; description: string }): Promise<Campaign | null> => {
      try {
        const campaign = await api.call('POST /campaigns', { body })
        await queryClient.invalidateQueries({ queryKey: CAMPAIGNS })
        return campaign
      } catch (error) {
        if (!isUnauthorized(error)) notify(errorToast(error, 'Failed to create campaign'))
        return null
      }
    },
    [api, notify, queryClient],
  )
  /** Resolves to whether no request failed. What was added before a failure stays: it can be tried again. */
  const add = useCallback(
    async (
      { id, name }: Pick<Campaign, 'id' | 'name'>,
      ids: readonly string[],
      onStep: (done: number) => void,
    ): Promise<boolean> => {
      const sum = await addInBatches(api, id, ids, onStep)
      void queryClient.invalidateQueries({ queryKey: CAMPAIGNS })
      if (sum.error !== undefined) {
        if (isUnauthorized(sum.error)) return false
        const toast = errorToast(sum.error, 'Failed to add IODs')
        const inIt = sum.added + sum.already
        const part = `${formatCount(inIt)} of ${formatCount(ids.length)} IOD(s) are in “${truncate(name, NAME_CHARS)}” now, the others not: ${errorDetail(sum.error, 'try again.')}`
        notify(inIt > 0 ? { ...toast, description: part } : toast)
        return false
      }
      notify({
        title: `Added ${formatCount(sum.added)} IOD(s) to the campaign`,
        description: sentences(name, sum),
        status: sum.unknown > 0 ? 'warning' : sum.added > 0 ? 'success' : 'info',
        action: { text: 'View', onClick: () => navigate(paths.campaign(id)) },
      })
      return true
    },
    [api, navigate, notify, queryClient],
  )
  return { create, add }
}
