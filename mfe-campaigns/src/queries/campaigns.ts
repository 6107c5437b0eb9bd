import { type Campaign, type CampaignDetail, LIMITS } from '@iodine/contracts'
import { type ApiClient, hasStatus, useErrorToast, useHost, withData } from '@iodine/mfe-kit'
import { type QueryClient, useQuery, useQueryClient, writeOver } from '@iodine/mfe-kit/query'
import { useMemo, useState } from 'react'
import type { CampaignFilter } from '../model/filter'
import { readStatistics, type Statistics, summarize } from '../model/iods'
import { TOAST_MS } from './toasts'

const NOT_FOUND = 404
/** Number of IODs in the first request of a large campaign: more than a screen shows, and fast to read. */
const FIRST_IODS = 50
/** Maximum time to wait for an idle moment, in milliseconds. */
const IDLE_MS = 200
/** Query key prefix of campaigns, in lists and alone. */
export const CAMPAIGNS = ['campaigns']
const ALL = ['campaigns', 'all']
const MINE = ['campaigns', 'my']
const LISTS = [ALL, MINE]
const FILTERED = ['campaigns', 'filtered']
const detailKey = (id: string) => ['campaigns', 'detail', id]

/**
 * Reads all campaigns that match a filter, and the user's of them. If the latter can't be read, they are silently
 * filtered from the former.
 */
export function useCampaigns(filter: CampaignFilter = {}) {
  const { api, session } = useHost()
  const isFiltered = Object.keys(filter).length > 0
  const all = useQuery({
    queryKey: isFiltered ? [...FILTERED, filter] : ALL,
    queryFn: ({ signal }) => api.call('GET /campaigns', { query: filter, signal }),
  })
  const mine = useQuery({
    queryKey: MINE,
    enabled: !isFiltered,
    queryFn: ({ signal }) => api.call('GET /campaigns/my', { signal }),
  })
  useErrorToast(all.error, 'Failed to load campaigns', TOAST_MS)
  const { id } = session.user
  const own = useMemo(
    () => (isFiltered ? undefined : mine.data) ?? all.data?.filter(campaign => campaign.created_by_id === id),
    [mine.data, all.data, id, isFiltered],
  )
  return { ...withData(all, all.data), own }
}

/** Returns the number of a campaign's IODs from the cached lists; undefined while they load. */
const listedSize = (queryClient: QueryClient, id: string): number | undefined =>
  LISTS.flatMap(key => queryClient.getQueryData<Campaign[]>(key) ?? []).find(campaign => campaign.id === id)
    ?.iod_count

/**
 * Reads a campaign with its IODs. `iods` is `complete`, `partial` while only the first IODs of a large campaign are
 * loaded, or `missing` if the IOD service is unavailable. A campaign deleted in the meantime has no data.
 */
export function useCampaign(id: string) {
  const { api } = useHost()
  const queryClient = useQueryClient()
  const [partial, setPartial] = useState<CampaignDetail>()
  const query = useQuery({
    queryKey: detailKey(id),
    queryFn: async ({ queryKey, signal }) => {
      const size = listedSize(queryClient, id) ?? Number.POSITIVE_INFINITY
      if (size > LIMITS.campaignBatch && !queryClient.getQueryData(queryKey)) {
        const query = { limit: FIRST_IODS }
        const first = await api.call('GET /campaigns/:id', { params: { id }, query, signal })
        if (first.iods.length === first.iod_count) return first
        if (first.iods.length > 0 && first.iod_count > LIMITS.campaignBatch) {
          setPartial(first)
          await queryClient.prefetchQuery(statisticsQuery(api, id))
          await untilIdle()
        }
      }
      return api.call('GET /campaigns/:id', { params: { id }, signal })
    },
  })
  useErrorToast(query.error, 'Failed to load campaign details', TOAST_MS)
  const { data, error } = query
  const campaign = hasStatus(error, NOT_FOUND) ? undefined : (data ?? (error ? undefined : partial))
  const iods: IodsState = !data ? 'partial' : data.iods.length < data.iod_count ? 'missing' : 'complete'
  return { ...withData(query, campaign), iods }
}

type IodsState = 'complete' | 'partial' | 'missing'
export type CampaignQuery = ReturnType<typeof useCampaign>

/** Fetched once each time a campaign is opened. */
const statisticsQuery = (api: ApiClient, id: string) => ({
  queryKey: ['campaigns', 'statistics', id],
  queryFn: ({ signal }: { signal: AbortSignal }) =>
    api.call('GET /campaigns/:id/statistics', { params: { id }, signal }),
  staleTime: Number.POSITIVE_INFINITY,
  gcTime: 0,
})

/**
 * Returns statistics of a campaign's IODs: computed from the complete list, or the service's while the list is partial.
 * A small campaign, which loads at once, needs no request.
 */
export function useStatistics(id: string, { data: campaign, iods: state }: CampaignQuery): Statistics | null {
  const { api } = useHost()
  const queryClient = useQueryClient()
  const size = campaign?.iod_count ?? listedSize(queryClient, id) ?? 0
  const { data } = useQuery({
    ...statisticsQuery(api, id),
    enabled: state === 'partial' && size > LIMITS.campaignBatch,
    select: readStatistics,
  })
  const iods = campaign?.iods
  const summary = useMemo(() => (state === 'complete' && iods ? summarize(iods) : null), [state, iods])
  return summary ?? (state === 'partial' ? (data ?? null) : null)
}

/** Lets the first rows be painted and the statistics be read before the remaining IODs are requested. */
const untilIdle = () =>
  new Promise<void>(resolve => {
    if ('requestIdleCallback' in window) requestIdleCallback(() => resolve(), { timeout: IDLE_MS })
    else setTimeout(resolve, IDLE_MS)
  })

/** Writes the responses of changes into the cached lists and details. */
export function useCampaignCache() {
  const queryClient = useQueryClient()
  return useMemo(() => {
    const change = (update: (campaigns: Campaign[]) => Campaign[]) =>
      writeOver(queryClient, LISTS, () => {
        void queryClient.invalidateQueries({ queryKey: FILTERED })
        for (const key of LISTS)
          queryClient.setQueryData<Campaign[]>(key, current => current && update(current))
      })
    const patch = (id: string, changes: Partial<Campaign>) =>
      change(list => list.map(each => (each.id === id ? { ...each, ...changes } : each)))
    const changeDetail = (id: string, update: (current?: CampaignDetail) => CampaignDetail | undefined) =>
      writeOver(queryClient, [detailKey(id)], () => queryClient.setQueryData(detailKey(id), update))
    return {
      created: (campaign: Campaign) =>
        change(list => [campaign, ...list.filter(({ id }) => id !== campaign.id)]),
      edited: async (campaign: Campaign) => {
        const { name, description } = campaign
        await Promise.all([
          patch(campaign.id, campaign),
          changeDetail(campaign.id, current => current && { ...current, name, description }),
        ])
      },
      deleted: async (id: string) => {
        queryClient.removeQueries({ queryKey: detailKey(id) })
        await change(list => list.filter(each => each.id !== id))
      },
      /** Call after an IOD was removed. */
      changed: async (detail: CampaignDetail) => {
        await Promise.all([
          changeDetail(detail.id, () => detail),
          patch(detail.id, { iod_count: detail.iod_count }),
        ])
      },
      /** Call after IODs were added. Refetches the campaign, because other users may have changed it. */
      grown: async (id: string) => {
        await queryClient.refetchQueries({ queryKey: detailKey(id) })
        const detail = queryClient.getQueryData<CampaignDetail>(detailKey(id))
        if (detail) await patch(id, { iod_count: detail.iod_count })
      },
      /** Call after a failure. Refetches the campaign and the lists if the campaign was deleted. */
      failed: async (id: string, error: unknown) => {
        if (!hasStatus(error, NOT_FOUND)) return
        await queryClient.refetchQueries({ queryKey: detailKey(id) })
        await Promise.all(LISTS.map(queryKey => queryClient.refetchQueries({ queryKey })))
      },
    }
  }, [queryClient])
}
