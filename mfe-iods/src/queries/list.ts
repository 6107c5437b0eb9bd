import type { Iod, IodSort, Page } from '@iodine/contracts'
import { useHost } from '@iodine/mfe-kit'
import { keepPreviousData, usePagedQuery, useQueryClient } from '@iodine/mfe-kit/query'
import { useMemo } from 'react'
import { type IodFilters, toQuery } from '../model/filters'

export const PAGE_SIZE = 50
export const LIST_KEY = ['iods', 'list']

export interface IodPages {
  pages: Page<Iod[]>[]
  pageParams: (string | null)[]
}

/**
 * Reads the filtered and sorted IODs, paginated. Previous rows stay displayed while others load. `isExact` is false if
 * the total is a lower bound.
 */
export function useIodList(filters: IodFilters, sort: IodSort) {
  const { api } = useHost()
  const queryClient = useQueryClient()
  const queryKey = [...LIST_KEY, filters, sort]
  const query = usePagedQuery({
    queryKey,
    readPage: (page, signal) =>
      api.page('GET /iods', { query: { ...toQuery(filters), sort, limit: PAGE_SIZE, ...page }, signal }),
    placeholderData: keepPreviousData,
    // TanStack would refetch every loaded page; `refresh` drops all but the first before it refetches.
    staleTime: Number.POSITIVE_INFINITY,
    gcTime: 0,
  })
  const { items, refetch } = query
  // A later page may repeat an IOD of an earlier one.
  const iods = useMemo(() => items && [...new Map(items.map(iod => [iod.id, iod])).values()], [items])
  const refresh = async () => {
    queryClient.setQueryData<IodPages>(
      queryKey,
      current => current && { pages: current.pages.slice(0, 1), pageParams: current.pageParams.slice(0, 1) },
    )
    await refetch()
  }
  return {
    ...query,
    data: iods,
    total: iods && (query.total ?? iods.length),
    isExact: query.pages?.[0]?.exact !== false,
    refresh,
  }
}

export type IodList = ReturnType<typeof useIodList>
