import type { Campaign, CampaignDetail } from '@iodine/contracts'
import { useHost } from '@iodine/mfe-kit'
import { useQuery, useQueryClient } from '@iodine/mfe-kit/query'
import { useMemo } from 'react'
import { useLoadNotice } from './notices'

const ALL = ['campaigns', 'all']
const MINE = ['campaigns', 'my']
const detailKey = (id: string) => ['campaigns', 'detail', id]

/** All campaigns, and the user's own; failing to read the latter goes unsaid, as they are among all. */
export function useCampaigns() {
  const { api, session } = useHost()
  const all = useQuery({ queryKey: ALL, queryFn: ({ signal }) => api.call('GET /campaigns', { signal }) })
  const mine = useQuery({
    queryKey: MINE,
    queryFn: ({ signal }) => api.call('GET /campaigns/my', { signal }),
  })
  useLoadNotice(all.error, 'Failed to load campaigns')
  const { id } = session.user
  const own = useMemo(
    () => mine.data ?? all.data?.filter(campaign => campaign.created_by_id === id),
    [mine.data, all.data, id],
  )
  return { ...all, campaigns: all.data, own }
}

/** One campaign with its IODs. `isPartial`: their service is down, so they are missing. */
export function useCampaign(id: string) {
  const { api } = useHost()
  const query = useQuery({
    queryKey: detailKey(id),
    queryFn: ({ signal }) => api.call('GET /campaigns/:id', { params: { id }, signal }),
  })
  useLoadNotice(query.error, 'Failed to load campaign details')
  const { data: campaign } = query
  return {
    ...query,
    campaign,
    isPartial: campaign !== undefined && campaign.iods.length < campaign.iod_count,
  }
}

/** Keeps what is on screen in line with what the server has just answered. */
export function useCampaignCache() {
  const queryClient = useQueryClient()
  return useMemo(() => {
    const change = (key: string[], update: (campaigns: Campaign[]) => Campaign[]) =>
      queryClient.setQueryData<Campaign[]>(key, current => current && update(current))
    const patch = (id: string, changes: Partial<Campaign>) => {
      for (const key of [ALL, MINE])
        change(key, list => list.map(each => (each.id === id ? { ...each, ...changes } : each)))
    }
    return {
      created: (campaign: Campaign) => {
        for (const key of [ALL, MINE])
          change(key, list => [campaign, ...list.filter(({ id }) => id !== campaign.id)])
      },
      edited: (campaign: Campaign) => {
        const { name, description } = campaign
        patch(campaign.id, campaign)
        queryClient.setQueryData<CampaignDetail>(
          detailKey(campaign.id),
          current => current && { ...current, name, description },
        )
      },
      deleted: (id: string) => {
        for (const key of [ALL, MINE]) change(key, list => list.filter(each => each.id !== id))
        queryClient.removeQueries({ queryKey: detailKey(id) })
      },
      /** After IODs were added or removed. */
      changed: (detail: CampaignDetail) => {
        queryClient.setQueryData(detailKey(detail.id), detail)
        patch(detail.id, { iod_count: detail.iod_count })
      },
    }
  }, [queryClient])
}
