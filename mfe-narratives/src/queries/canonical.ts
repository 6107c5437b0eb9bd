import { type CanonicalNarrative, type CanonPart, isDay, isZone, type MergeScope } from '@iodine/contracts'
import { errorDetail, hasStatus, useAction, useHost } from '@iodine/mfe-kit'
import { keepPreviousData, usePagedQuery, useQuery, useQueryClient } from '@iodine/mfe-kit/query'
import { useEffect } from 'react'

const CANONICAL = ['canonical']
const STATE = ['canonical-state']
const PAGE_SIZE = 50
const SENTENCES = 20
const FOUND = 20
const CHANGED = 5
const POLL_MS = 2_000

/** The owner of the listed narratives: the user, all users together, or another user by id. */
export interface OwnerFilter {
  scope: 'own' | 'all'
  userId: string | null
}

/** Days of a zone, of a link from Analytics. */
export interface Days {
  from?: string
  to?: string
  zone?: string
}

/** Reads the days of a link from Analytics from a URL's query. Invalid values are ignored. */
export const readDays = (search: URLSearchParams): Days => {
  const [from, to, zone] = ['from', 'to', 'zone'].map(name => search.get(name) ?? '')
  if (!from || !to || !isDay(from) || !isDay(to)) return {}
  return { from, to, ...(zone && isZone(zone) && { zone }) }
}

const ownerOf = (userId: string | null) => (userId ? { user_id: userId } : {})

/** Reads canonical narratives by reach, paginated. */
export function useCanonicalList(q: string, { scope, userId }: OwnerFilter) {
  const { api } = useHost()
  const query = { ...(q && { q }), ...(scope === 'all' ? { scope } : ownerOf(userId)), limit: PAGE_SIZE }
  return usePagedQuery({
    queryKey: [...CANONICAL, 'list', query],
    placeholderData: keepPreviousData,
    readPage: (page, signal) =>
      api.page('GET /narratives/canonical', { query: { ...query, ...page }, signal }),
  })
}

/** Reads the canonical narratives with a variant that contains the search text, by descending reach. */
export function useCanonicalSearch(q: string) {
  const { api } = useHost()
  return useQuery({
    queryKey: [...CANONICAL, 'search', q],
    placeholderData: keepPreviousData,
    queryFn: ({ signal }) =>
      api.call('GET /narratives/canonical', { query: { ...(q && { q }), limit: FOUND }, signal }),
  })
}

/** Reads the first narratives that a merge in all narratives would change besides the two, and their number. */
export function useMergePreview(id: string, other: string) {
  const { api } = useHost()
  return useQuery({
    queryKey: [...CANONICAL, 'preview', id, other],
    queryFn: ({ signal }) =>
      api.page('GET /narratives/canonical/:id/merge', {
        params: { id },
        query: { with: other, limit: CHANGED },
        signal,
      }),
  })
}

/** Reads a canonical narrative with its members, days and sources. */
export function useCanonical(id: string, userId: string | null) {
  const { api } = useHost()
  return useQuery({
    queryKey: [...CANONICAL, 'one', id, userId],
    queryFn: ({ signal }) =>
      api.call('GET /narratives/canonical/:id', { params: { id }, query: ownerOf(userId), signal }),
    // 404: the narrative was merged or split, and has another id now.
    retry: (count, error) => !hasStatus(error, 404) && count < 2,
  })
}

/**
 * Reads the sentences of a canonical narrative, newest first.
 * @param source '' for texts without a source, null for all
 * @param days of the analysis; empty for all
 */
export function useSentences(id: string, source: string | null, days: Days) {
  const { api } = useHost()
  const query = { ...(source !== null && { source }), ...days, limit: SENTENCES }
  return usePagedQuery({
    queryKey: [...CANONICAL, 'sentences', id, query],
    placeholderData: keepPreviousData,
    readPage: (page, signal) =>
      api.page('GET /narratives/canonical/:id/sentences', {
        params: { id },
        query: { ...query, ...page },
        signal,
      }),
  })
}

/** Reads the user's merges and splits, newest first. */
export function useDecisions() {
  const { api } = useHost()
  return usePagedQuery({
    queryKey: [...CANONICAL, 'history'],
    readPage: (page, signal) =>
      api.page('GET /narratives/canonical/history', { query: { limit: PAGE_SIZE, ...page }, signal }),
  })
}

/** Reads whether texts are still being processed. All canonical data is refetched once they are. */
export function useCanonicalState(enabled: boolean) {
  const { api } = useHost()
  const client = useQueryClient()
  const { data } = useQuery({
    queryKey: STATE,
    enabled,
    queryFn: ({ signal }) => api.call('GET /narratives/canonical/state', { signal }),
    refetchInterval: ({ state }) => (state.data?.pending ? POLL_MS : false),
  })
  const isPending = data?.pending
  useEffect(() => {
    if (isPending === false) void client.invalidateQueries({ queryKey: CANONICAL })
  }, [isPending, client])
  return data
}

/** Starts the comparison of the user's labels by meaning. */
export function useCompareByMeaning() {
  const { api } = useHost()
  const client = useQueryClient()
  return useAction({
    mutationFn: () => api.call('POST /narratives/canonical/compare'),
    // Cancels a running request: its response would contain the state before the comparison.
    onSettled: () =>
      client.cancelQueries({ queryKey: STATE }).then(() => client.invalidateQueries({ queryKey: STATE })),
    failed: 'Unable to compare by meaning',
  })
}

/** Undoes a merge or a split by its id. Succeeds if it was already undone, for example in another tab. */
export function useUndo(onUndone?: () => void) {
  const { api } = useHost()
  return useAction({
    mutationFn: async (id: string): Promise<unknown> =>
      api.call('POST /narratives/canonical/history/:id/undo', { params: { id } }).catch(error => {
        if (!hasStatus(error, 409)) throw error
      }),
    onSettled: (_, error) => error || onUndone?.(),
    done: (_, key) => ({ title: 'Undone', key }),
    failed: 'Unable to undo the decision',
    invalidates: [CANONICAL, STATE],
  })
}

/**
 * Returns functions that merge and split a canonical narrative. They resolve to an error message, or to null once
 * `onChanged` has received the id of the new narrative. After an undo, it receives `id`.
 */
export function useDecide(id: string, onChanged: (id: string) => void) {
  const { api, notify } = useHost()
  const client = useQueryClient()
  const { run: undo } = useUndo(() => onChanged(id))
  const decided = async (
    title: string,
    request: Promise<{ id: string; decision: string }>,
  ): Promise<string | null> => {
    try {
      const { id: changedId, decision } = await request
      notify({
        status: 'success',
        title,
        key: decision,
        action: { text: 'Undo', onClick: () => void undo(decision) },
      })
      for (const queryKey of [CANONICAL, STATE]) void client.invalidateQueries({ queryKey })
      onChanged(changedId)
      return null
    } catch (error) {
      return errorDetail(error, 'The server could not be reached. Please try again.')
    }
  }
  const params = { id }
  return {
    merge: (other: CanonicalNarrative, scope: MergeScope) =>
      decided(
        'Narratives merged',
        api.call('POST /narratives/canonical/:id/merge', { params, body: { with: other.id, scope } }),
      ),
    split: (part: CanonPart, members: string[], together: boolean) =>
      decided(
        'Variants split off',
        api.call('POST /narratives/canonical/:id/split', { params, body: { part, members, together } }),
      ),
  }
}
