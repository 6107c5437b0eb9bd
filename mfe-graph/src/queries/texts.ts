import type { GraphLink } from '@iodine/contracts'
import { useHost } from '@iodine/mfe-kit'
import { usePagedQuery } from '@iodine/mfe-kit/query'
import { canonicalOf, type Filters } from '../model/filters'

const PAGE_SIZE = 20

/** Reads the narratives of a link, newest first, paginated, with the graph's filters of user, days and source. */
export function useTexts({ source: from, target: to }: GraphLink, filters: Partial<Filters>) {
  const { api } = useHost()
  const { user_id, start_date, end_date, source } = filters
  const query = { user_id, start_date, end_date, source, ...canonicalOf(filters), from, to, limit: PAGE_SIZE }
  return usePagedQuery({
    queryKey: ['graph-texts', query],
    readPage: (page, signal) => api.page('GET /graph/texts', { query: { ...query, ...page }, signal }),
  })
}
