import type { Campaign, CampaignDetail } from '@iodine/contracts'
import { type ApiClient, hasStatus, useHost } from '@iodine/mfe-kit'
import { useQuery, useQueryClient } from '@iodine/mfe-kit/query'
import { useMemo, useState } from 'react'
import { readBeginning } from '../model/beginning'
import { useLoadNotice } from './notices'

const NOT_FOUND = 404
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

/**
 * One campaign with its IODs. `iods` says whether they are `whole`, still `arriving` (those of the beginning are
 * there), or `missing` because their service is down. A campaign that somebody has deleted is no longer there.
 */
export function useCampaign(id: string) {
  const { api } = useHost()
  const [beginning, setBeginning] = useState<CampaignDetail>()
  const query = useQuery({
    queryKey: detailKey(id),
    queryFn: ({ signal }) => readCampaign(api, id, signal, setBeginning),
  })
  useLoadNotice(query.error, 'Failed to load campaign details')
  const { data, error } = query
  const campaign = hasStatus(error, NOT_FOUND) ? undefined : (data ?? (error ? undefined : beginning))
  const iods: IodsState = !data ? 'arriving' : data.iods.length < data.iod_count ? 'missing' : 'whole'
  return { ...query, campaign, iods }
}

export type IodsState = 'whole' | 'arriving' | 'missing'

function readCampaign(
  api: ApiClient,
  id: string,
  signal: AbortSignal,
  onBeginning: (beginning: CampaignDetail) => void,
): Promise<CampaignDetail> {
  let begun = false
  const onText = (text: string) => {
    if (begun) return
    const beginning = readBeginning(text)
    if (!beginning) return
    begun = true
    onBeginning(beginning)
  }
  return api.call('GET /campaigns/:id', { params: { id }, signal, onText })
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
      /** After an IOD was removed. */
      changed: async (detail: CampaignDetail) => {
        // An answer under way may be older than this one.
        await queryClient.cancelQueries({ queryKey: detailKey(detail.id) })
        queryClient.setQueryData(detailKey(detail.id), detail)
        patch(detail.id, { iod_count: detail.iod_count })
      },
      /** After IODs were added: reads the campaign again, which others may have changed too. */
      grown: async (campaign: Campaign) => {
        patch(campaign.id, campaign)
        await queryClient.refetchQueries({ queryKey: detailKey(campaign.id) })
      },
      /** After a failure: a campaign that isn't there any more leaves the screen. */
      failed: async (id: string, error: unknown) => {
        if (!hasStatus(error, NOT_FOUND)) return
        await queryClient.refetchQueries({ queryKey: detailKey(id) })
        await Promise.all([ALL, MINE].map(queryKey => queryClient.refetchQueries({ queryKey })))
      },
    }
  }, [queryClient])
}
