import { useHost } from '@iodine/mfe-kit'
import { usePagedQuery, useQuery } from '@iodine/mfe-kit/query'
import { useMemo } from 'react'
import { type SearchCriteria, toBody } from '../model/search-criteria'
import { joinPages } from '../model/sightings'

/** Reads the IOD of a search by an IOD. */
export function useSearchedIod(criteria: SearchCriteria | null) {
  const { api } = useHost()
  const id = criteria?.by === 'iod' ? criteria.words : ''
  return useQuery({
    queryKey: ['iod', id],
    enabled: id !== '',
    queryFn: ({ signal }) => api.call('GET /iods/:id', { params: { id }, signal }),
  })
}

/**
 * Searches occurrences, page by page.
 * @param value of the IOD, if the search is by an IOD; undefined while it loads
 */
export function useSightings(criteria: SearchCriteria | null, value: string | undefined) {
  const { api } = useHost()
  const query = usePagedQuery({
    queryKey: ['sightings', criteria, value],
    enabled: criteria !== null && (criteria.by !== 'iod' || value !== undefined),
    // Each page compares all candidates again. Results stay until the user repeats the search.
    staleTime: Number.POSITIVE_INFINITY,
    readPage: async (page, signal) => {
      if (!criteria) throw new Error('The search is empty')
      const answer = await api.call('POST /sightings/search', {
        body: { ...toBody(criteria, value), ...page },
        signal,
      })
      return { ...answer, nextCursor: answer.next }
    },
  })
  const { pages } = query
  return { ...query, data: useMemo(() => joinPages(pages ?? []), [pages]) }
}
