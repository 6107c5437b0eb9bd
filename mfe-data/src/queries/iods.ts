import { type Iod, LIMITS } from '@iodine/contracts'
import { createBatchedLookup, createKnownIods, type KnownIods, lookupCandidates } from '@iodine/known-iods'
import { type ApiClient, useHost } from '@iodine/mfe-kit'
import { useQuery, useQueryClient } from '@iodine/mfe-kit/query'
import { useDebounce, useElapsed } from '@iodine/ui'
import { useMemo } from 'react'
import { type RecordView, valuesOf } from '../model/record-view'

const LOOKUPS = ['iod-lookup']
const OWN_IODS = ['own-iods']
const SETTLED_AFTER_MS = 150
const LOOKUP_KEPT_MS = 60_000

const batchedLookups = new WeakMap<ApiClient, ReturnType<typeof createBatchedLookup<Iod>>>()

function batchedLookup(api: ApiClient) {
  let lookup = batchedLookups.get(api)
  if (!lookup) {
    lookup = createBatchedLookup<Iod>(values => api.call('POST /iods/lookup', { body: { values } }))
    batchedLookups.set(api, lookup)
  }
  return lookup
}

/**
 * Reads the user's newest IODs. An IOD may have been created from an arbitrary selection in a text, which a lookup by
 * words misses.
 */
export function useOwnIods() {
  const { api, session } = useHost()
  const userId = session.user.id
  return useQuery({
    queryKey: [...OWN_IODS, userId],
    queryFn: () => api.call('GET /iods', { query: { created_by: [userId], limit: LIMITS.listLimitMax } }),
    // All cards share the query. It is fetched once per visit, and by `useReloadIods`.
    staleTime: Number.POSITIVE_INFINITY,
    gcTime: 0,
  })
}

/** Returns the IODs that equal a value of a displayed record or occur in its texts. */
export function useKnownIods(view: RecordView): KnownIods {
  const { api } = useHost()
  // Cards that are only scrolled past send no lookup.
  const settled = useElapsed(SETTLED_AFTER_MS)
  const { data: found } = useQuery({
    // Until then all cards share a key. Otherwise the cache would keep an entry, with its record, per card.
    queryKey: settled ? [...LOOKUPS, view.source, view.id, view.collectedAt] : LOOKUPS,
    queryFn: () => batchedLookup(api)([...new Set(valuesOf(view).flatMap(lookupCandidates))]),
    enabled: settled,
    staleTime: LOOKUP_KEPT_MS,
    gcTime: LOOKUP_KEPT_MS,
  })
  const { data: own } = useOwnIods()
  return useMemo(() => createKnownIods([...(found ?? []), ...(own ?? [])]), [found, own])
}

/** Returns the IOD of a selected text. The lookup is debounced. */
export function useIodOf(known: KnownIods, text: string): Iod | undefined {
  const { api } = useHost()
  const [wanted] = useDebounce(text, SETTLED_AFTER_MS)
  const isShort = wanted.length <= LIMITS.fieldMax
  const { data } = useQuery({
    queryKey: [...LOOKUPS, 'selection', wanted],
    queryFn: () => batchedLookup(api)([wanted]),
    enabled: isShort && known.matching(wanted).length === 0,
    staleTime: LOOKUP_KEPT_MS,
    gcTime: LOOKUP_KEPT_MS,
  })
  return known.matching(text)[0] ?? (wanted === text ? data?.[0] : undefined)
}

/**
 * Returns functions that refetch the user's IODs (`own`), or these and the lookups of displayed values (`all`). They
 * reject on failure.
 */
export function useReloadIods() {
  const queryClient = useQueryClient()
  const reload = (queryKey: string[]) =>
    queryClient.refetchQueries({ queryKey, type: 'active' }, { throwOnError: true })
  const own = () => reload(OWN_IODS)
  return { own, all: () => Promise.all([reload(LOOKUPS), own()]) }
}

/** Returns a function that adds a new IOD to the cached IODs of the user. */
export function useAddOwnIod(): (iod: Iod) => void {
  const queryClient = useQueryClient()
  return iod => void queryClient.setQueriesData<Iod[]>({ queryKey: OWN_IODS }, own => own && [iod, ...own])
}
