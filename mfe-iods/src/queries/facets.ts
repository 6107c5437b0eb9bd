import type { IodFacets } from '@iodine/contracts'
import { useHost } from '@iodine/mfe-kit'
import { keepPreviousData, useQuery } from '@iodine/mfe-kit/query'
import { type IodFilters, NO_FILTERS, toQuery } from '../model/filters'

/** Query key prefix of all counts. */
export const FACETS_KEY = ['iods', 'facets']

function useFacets(filters: IodFilters): IodFacets | undefined {
  const { api } = useHost()
  const { data } = useQuery({
    queryKey: [...FACETS_KEY, filters],
    queryFn: ({ signal }) => api.call('GET /iods/facets', { query: toQuery(filters), signal }),
    placeholderData: keepPreviousData,
  })
  return data
}

/**
 * Reads counts for the choices of the filter menus, and the number of all IODs. A menu's counts respect the other
 * menu's selection, but ignore its own.
 */
export function useIodCounts(filters: IodFilters) {
  const byCategory = useFacets({ ...filters, categories: [] })
  const bySourceType = useFacets({ ...filters, sourceTypes: [] })
  const all = useFacets(NO_FILTERS)
  return {
    categories: byCategory && {
      total: byCategory.total,
      counts: byCategory.categories,
      isExact: byCategory.exact !== false,
    },
    sourceTypes: bySourceType && {
      total: bySourceType.total,
      counts: bySourceType.source_types,
      isExact: bySourceType.exact !== false,
    },
    total: all?.total,
  }
}
