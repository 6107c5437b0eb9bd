import { type Iod, LIMITS, type NewIod } from '@iodine/contracts'
import { createBatchedLookup, createKnownIods, type KnownIods, lookupCandidates } from '@iodine/known-iods'
import { type ApiClient, useHost } from '@iodine/mfe-kit'
import { useQuery, useQueryClient } from '@iodine/mfe-kit/query'
import { useElapsed } from '@iodine/ui'
import { useCallback, useMemo } from 'react'
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

/** The user's newest IODs. They may have been selected anywhere in a text, where a look-up by words misses them. */
export function useOwnIods() {
  const { api, session } = useHost()
  const userId = session.user.id
  return useQuery({
    queryKey: [...OWN_IODS, userId],
    queryFn: () => api.call('GET /iods', { query: { created_by: [userId], limit: LIMITS.listLimitMax } }),
    // All cards share it. It is read once a visit, and by `useReloadIods`.
    staleTime: Number.POSITIVE_INFINITY,
    gcTime: 0,
  })
}

/** The IODs among a shown record's values and within its texts. */
export function useKnownIods(view: RecordView): KnownIods {
  const { api } = useHost()
  // Cards that only scroll past are not looked up.
  const settled = useElapsed(SETTLED_AFTER_MS)
  const { data: found } = useQuery({
    // Before that all cards share a key: the cache would keep an entry, and its record, for each card that scrolls past.
    queryKey: settled ? [...LOOKUPS, view.source, view.id, view.collectedAt] : LOOKUPS,
    queryFn: () => batchedLookup(api)([...new Set(valuesOf(view).flatMap(lookupCandidates))]),
    enabled: settled,
    staleTime: LOOKUP_KEPT_MS,
    gcTime: LOOKUP_KEPT_MS,
  })
  const { data: own } = useOwnIods()
  return useMemo(() => createKnownIods([...(found ?? []), ...(own ?? [])]), [found, own])
}

/** Looks the shown values up again; rejects where that fails. */
export function useReloadIods(): () => Promise<void> {
  const queryClient = useQueryClient()
  return useCallback(async () => {
    const reload = (queryKey: string[]) =>
      queryClient.refetchQueries({ queryKey, type: 'active' }, { throwOnError: true })
    await Promise.all([reload(LOOKUPS), reload(OWN_IODS)])
  }, [queryClient])
}

/** Creates an IOD and adds it to the known ones. */
export function useCreateIod(): (iod: NewIod) => Promise<Iod> {
  const { api } = useHost()
  const queryClient = useQueryClient()
  return useCallback(
    async iod => {
      const created = await api.call('POST /iods', { body: iod })
      queryClient.setQueriesData<Iod[]>({ queryKey: OWN_IODS }, own => own && [created, ...own])
      return created
    },
    [api, queryClient],
  )
}
