import type { Iod } from '@iodine/contracts'
import { useHost } from '@iodine/mfe-kit'
import { keepPreviousData, usePagedQuery, useQueryClient } from '@iodine/mfe-kit/query'
import { useCallback, useMemo } from 'react'
import { type IodFilters, toQuery } from '../model/filters'

export const PAGE_SIZE = 50
export const LISTS = ['iods', 'list']

interface IodPage {
  items: Iod[]
  total: number | null
  nextCursor: string | null
}
export interface IodPages {
  pages: IodPage[]
  pageParams: (string | null)[]
}

/** The filtered IODs, newest first, paginated. The old rows stay displayed while new filters load. */
export function useIodList(filters: IodFilters) {
  const { api } = useHost()
  const queryClient = useQueryClient()
  const queryKey = useMemo(() => [...LISTS, filters], [filters])
  const query = usePagedQuery({
    queryKey,
    readPage: (page, signal): Promise<IodPage> =>
      api.page('GET /iods', { query: { ...toQuery(filters), limit: PAGE_SIZE, ...page }, signal }),
    placeholderData: keepPreviousData,
    // TanStack would refetch every loaded page; `refresh` drops all but the first before it refetches.
    staleTime: Number.POSITIVE_INFINITY,
    gcTime: 0,
  })
  const { data, refetch } = query
  const iods = useMemo(() => {
    const byId = new Map(data?.pages.flatMap(page => page.items).map(iod => [iod.id, iod]))
    return data && [...byId.values()]
  }, [data])
  const refresh = useCallback(async () => {
    queryClient.setQueryData<IodPages>(
      queryKey,
      current => current && { pages: current.pages.slice(0, 1), pageParams: current.pageParams.slice(0, 1) },
    )
    await refetch()
  }, [queryClient, queryKey, refetch])
  return { ...query, data: iods, total: data && (data.pages[0]?.total ?? iods?.length), refresh }
}
