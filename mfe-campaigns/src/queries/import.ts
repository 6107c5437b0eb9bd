import type { CampaignImport, Tlp } from '@iodine/contracts'
import { errorToast, isApiError, useAction, useHost } from '@iodine/mfe-kit'
import { useQuery, useQueryClient, writeOver } from '@iodine/mfe-kit/query'
import { useCampaignCache } from './campaigns'
import { failureFields, successToast, TOAST_MS } from './toasts'

/** Interval of polling an import that is being planned or applied, in milliseconds. */
const POLL_MS = 500
const UNDER_WAY: readonly CampaignImport['state'][] = ['planning', 'applying']

const importedObjectsKey = (id: string) => ['campaigns', 'kept', id]
const sharingKey = (id: string) => ['campaigns', 'sharing', id]

const wait = (ms: number) => new Promise<void>(resolve => setTimeout(resolve, ms))

/** Imports files into a campaign: the server plans and applies them. */
export function useImport(campaignId: string) {
  const { api } = useHost()
  const queryClient = useQueryClient()
  const cache = useCampaignCache()
  /** Polls an import while it is planned or applied. Resolves to null once `isCurrent` returns false. */
  const follow = async (
    id: string,
    onStep: (now: CampaignImport) => void,
    isCurrent: () => boolean,
  ): Promise<CampaignImport | null> => {
    while (isCurrent()) {
      const now = await api.call('GET /campaigns/imports/:id', { params: { id } }).catch(error => {
        // A transient error: the service may be restarting, and the import continues.
        if (isApiError(error) && error.status >= 400 && error.status < 500) throw error
      })
      if (!isCurrent()) break
      if (now && !UNDER_WAY.includes(now.state)) return now
      if (now) onStep(now)
      await wait(POLL_MS)
    }
    return null
  }
  /** Discards a plan. If this fails, the server removes the plan within a day. */
  const discard = ({ id }: Pick<CampaignImport, 'id'>): void => {
    api.call('DELETE /campaigns/imports/:id', { params: { id } }).catch(() => {})
  }
  /** Sends a file. Resolves to its plan, or to null if `isCurrent` returns false by then. */
  const plan = async (file: File, isCurrent: () => boolean): Promise<CampaignImport | null> => {
    const { formatOf } = await import('@iodine/exchange')
    const query = { campaign_id: campaignId, format: formatOf(await file.text()) }
    const body = new Uint8Array(await file.arrayBuffer())
    const made = await api.call('POST /campaigns/imports', { query, body })
    const planned = await follow(made.id, () => {}, isCurrent)
    if (!planned) discard(made)
    return planned
  }
  /** Applies an import. Resolves to it once it is done or failed, or to null once `isCurrent` returns false. */
  const apply = async (
    { id }: CampaignImport,
    iods: boolean,
    onStep: (now: CampaignImport) => void,
    isCurrent: () => boolean,
  ): Promise<CampaignImport | null> => {
    onStep(await api.call('POST /campaigns/imports/:id/apply', { params: { id }, body: { iods } }))
    const ended = await follow(id, onStep, isCurrent)
    await Promise.all([
      cache.grown(campaignId),
      ...[importedObjectsKey, sharingKey].map(key =>
        queryClient.invalidateQueries({ queryKey: key(campaignId) }),
      ),
    ])
    return ended
  }
  return { plan, apply, discard }
}

/** Reads the imported objects of the campaign. */
export function useImportedObjects(campaignId: string) {
  const { api } = useHost()
  return useQuery({
    queryKey: importedObjectsKey(campaignId),
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
    // The campaign's minimum sharing level may decrease.
    invalidates: [importedObjectsKey(campaignId), sharingKey(campaignId)],
  })
}

/** Interval of polling a feed that is being updated, in milliseconds. */
const FEED_POLL_MS = 2_000

/** Reads the sharing level of the campaign's exports and its publication, and returns a function that changes them. */
export function useSharing(campaignId: string) {
  const { api } = useHost()
  const queryClient = useQueryClient()
  const queryKey = sharingKey(campaignId)
  const query = useQuery({
    queryKey,
    queryFn: ({ signal }) => api.call('GET /campaigns/:id/sharing', { params: { id: campaignId }, signal }),
    refetchInterval: ({ state: { data } }) =>
      data?.feed?.state === 'due' && !data.feed.problem ? FEED_POLL_MS : false,
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
