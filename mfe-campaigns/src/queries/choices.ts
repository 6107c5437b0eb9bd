import { type Category, type Iod, LIMITS, type Page } from '@iodine/contracts'
import { useErrorToast, useHost } from '@iodine/mfe-kit'
import { keepPreviousData, usePagedQuery, useQuery } from '@iodine/mfe-kit/query'
import { useMemo } from 'react'
import { countBy, mostFirst, searchChoices } from '../model/iods'
import { TOAST_MS } from './toasts'

const PAGE_SIZE = 100
/** Maximum number of choices that are selected at once. */
export const SELECTED_AT_ONCE_MAX = 5_000

/**
 * Reads IODs that are not members, newest first, paginated. The service filters by text and category, this hook removes
 * the members. Previous choices stay displayed while others load. `isExact` is false if the total is a lower bound.
 * @param text part of the value or description; blank for all
 * @param categories empty for all
 */
export function useChoices(members: Iod[], text: string, categories: Category[], isNeeded: boolean) {
  const { api } = useHost()
  const q = text.trim()
  const filters = { ...(q && { q }), ...(categories.length > 0 && { category: categories }) }
  const query = usePagedQuery({
    queryKey: ['iods', 'choices', q, categories],
    readPage: (page, signal) =>
      api.page('GET /iods', { query: { ...filters, limit: PAGE_SIZE, ...page }, signal }),
    enabled: isNeeded,
    placeholderData: keepPreviousData,
    gcTime: 0,
  })
  const { items, more } = query
  useErrorToast(query.error, 'Failed to load IODs', TOAST_MS)
  const memberIds = useMemo(() => new Set(members.map(({ id }) => id)), [members])
  const choices = useMemo(() => {
    const byId = new Map(items?.map(iod => [iod.id, iod]))
    return items && [...byId.values()].filter(({ id }) => !memberIds.has(id))
  }, [items, memberIds])
  const found = useMemo(() => searchChoices(members, q, categories).length, [members, q, categories])
  const isExact = query.pages?.[0]?.exact !== false
  const matching = query.total
  const total = matching === null ? (choices?.length ?? 0) : isExact ? matching - found : matching
  /** Reads the ids of all choices, newest first, at most `SELECTED_AT_ONCE_MAX`, also of pages not loaded yet. */
  const readIds = async (): Promise<string[]> => {
    if (choices && !more.hasNextPage) return choices.slice(0, SELECTED_AT_ONCE_MAX).map(({ id }) => id)
    const ids = new Set<string>()
    let cursor: string | null = null
    do {
      const page: Page<Iod[]> = await api.page('GET /iods', {
        query: { ...filters, limit: LIMITS.listLimitMax, ...(cursor && { cursor }) },
      })
      for (const { id } of page.items) if (!memberIds.has(id)) ids.add(id)
      cursor = page.nextCursor
    } while (cursor && ids.size < SELECTED_AT_ONCE_MAX)
    return [...ids].slice(0, SELECTED_AT_ONCE_MAX)
  }
  return { ...query, data: choices, total, isExact, readIds, search: `${q} ${categories}` }
}

export type Choices = ReturnType<typeof useChoices>

/** Counts the choices by category, in descending order. */
export function useChoiceCounts(members: Iod[], isNeeded: boolean): [Category, number][] {
  const { api } = useHost()
  const { data } = useQuery({
    queryKey: ['iods', 'choices', 'facets'],
    queryFn: ({ signal }) => api.call('GET /iods/facets', { signal }),
    enabled: isNeeded,
  })
  return useMemo(() => {
    const taken = new Map(countBy(members, ({ category }) => category))
    const counts = Object.entries(data?.categories ?? {}) as [Category, number][]
    const left = counts.map(([category, n]): [Category, number] => [category, n - (taken.get(category) ?? 0)])
    return mostFirst(left.filter(([, n]) => n > 0))
  }, [data, members])
}
