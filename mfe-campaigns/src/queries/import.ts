import type { CampaignImport, Tlp } from '@iodine/contracts'
import { errorToast, isApiError, useAction, useHost } from '@iodine/mfe-kit'
import { useQuery, useQueryClient, writeOver } from '@iodine/mfe-kit/query'
import { useCallback } from 'react'
import { useCampaignCache } from './campaigns'
import { failureFields, successToast, TOAST_MS } from './toasts'

/** How often an import that is being planned or applied is looked at. */
const LOOK_MS = 500
const UNDER_WAY: readonly CampaignImport['state'][] = ['planning', 'applying']

const keptKey = (id: string) => ['campaigns', 'kept', id]
const sharingKey = (id: string) => ['campaigns', 'sharing', id]

const wait = (ms: number) => new Promise<void>(resolve => setTimeout(resolve, ms))

/** Imports files into a campaign: the server plans and applies them. */
export function useImport(campaignId: string) {
  const { api } = useHost()
  const queryClient = useQueryClient()
  const cache = useCampaignCache()
  /** Resolves once it is neither planned nor applied any more; to null once it is not wanted. */
  const follow = useCallback(
    async (
      id: string,
      onStep: (now: CampaignImport) => void,
      isWanted: () => boolean,
    ): Promise<CampaignImport | null> => {
      while (isWanted()) {
        const now = await api.call('GET /campaigns/imports/:id', { params: { id } }).catch(error => {
          // A service that is down for a moment: the import goes on.
          if (isApiError(error) && error.status >= 400 && error.status < 500) throw error
        })
        if (!isWanted()) break
        if (now && !UNDER_WAY.includes(now.state)) return now
        if (now) onStep(now)
        await wait(LOOK_MS)
      }
      return null
    },
    [api],
  )
  /** A plan that nobody applies is removed by the server within a day, too. */
  const discard = useCallback(
    ({ id }: Pick<CampaignImport, 'id'>): void => {
      api.call('DELETE /campaigns/imports/:id', { params: { id } }).catch(() => {})
    },
    [api],
  )
  /** Sends a file; resolves to its plan, or to null if `isWanted` says by then that nobody waits for it. */
  const plan = useCallback(
    async (file: File, isWanted: () => boolean): Promise<CampaignImport | null> => {
      const { formatOf } = await import('@iodine/exchange')
      const query = { campaign_id: campaignId, format: formatOf(await file.text()) }
      const body = new Uint8Array(await file.arrayBuffer())
      const made = await api.call('POST /campaigns/imports', { query, body })
      const planned = await follow(made.id, () => {}, isWanted)
      if (!planned) discard(made)
      return planned
    },
    [api, campaignId, discard, follow],
  )
  /** Resolves to the import once it is done, or has stopped; to null once it is not wanted. */
  const apply = useCallback(
    async (
      { id }: CampaignImport,
      iods: boolean,
      onStep: (now: CampaignImport) => void,
      isWanted: () => boolean,
    ): Promise<CampaignImport | null> => {
      const params = { id }
      onStep(await api.call('POST /campaigns/imports/:id/apply', { params, body: { iods } }))
      const ended = await follow(id, onStep, isWanted)
      await Promise.all([
        cache.grown(campaignId),
        ...[keptKey, sharingKey].map(key => queryClient.invalidateQueries({ queryKey: key(campaignId) })),
      ])
      return ended
    },
    [api, cache, campaignId, follow, queryClient],
  )
  return { plan, apply, discard }
}

/** What the campaign keeps of other tools' files. */
export function useKept(campaignId: string) {
  const { api } = useHost()
  return useQuery({
    queryKey: keptKey(campaignId),
    queryFn: ({ signal }) => api.call('GET /campaigns/:id/kept', { params: { id: campaignId }, signal }),
  })
}

/** Removes the objects of an import from a campaign. */
export function useRemoveImport(campaignId: string) {
  const { api } = useHost()
  return useAction({
    mutationFn: (id: string) => api.call('DELETE /campaigns/imports/:id', { params: { id } }),
    done: successToast('Imported objects removed'),
    failed: failureFields('Failed to remove the imported objects'),
    // The campaign's least level may be a lower one now.
    invalidates: [keptKey(campaignId), sharingKey(campaignId)],
  })
}

/** How often a feed is looked at while it is brought in line. */
const DUE_MS = 2_000

/** The level of the campaign's exports, whether it is published, and a function that sets them. */
export function useSharing(campaignId: string) {
  const { api } = useHost()
  const queryClient = useQueryClient()
  const queryKey = sharingKey(campaignId)
  const query = useQuery({
    queryKey,
    queryFn: ({ signal }) => api.call('GET /campaigns/:id/sharing', { params: { id: campaignId }, signal }),
    refetchInterval: ({ state: { data } }) =>
      data?.feed?.state === 'due' && !data.feed.problem ? DUE_MS : false,
  })
  const { run: share } = useAction({
    mutationFn: (body: { tlp?: Tlp; published?: boolean }) =>
      api.call('PATCH /campaigns/:id/sharing', { params: { id: campaignId }, body }),
    onSuccess: sharing =>
      writeOver(queryClient, [queryKey], () => queryClient.setQueryData(queryKey, sharing)),
    onError: () => queryClient.invalidateQueries({ queryKey }),
    failed: (error, { published }) =>
      errorToast(
        error,
        published === undefined ? 'Failed to change the sharing level' : 'Failed to change the publication',
        { duration: TOAST_MS },
      ),
  })
  return { query, share }
}
