import { useHost } from '@iodine/mfe-kit'
import { usePagedQuery } from '@iodine/mfe-kit/query'
import { canonicalOf, type Filters } from '../model/filters'

const PAGE_SIZE = 10

/** Reads the narratives of a node, newest first, paginated, with the graph's filters of user, days and source. */
export function useMentions(node: string, filters: Partial<Filters>) {
  const { api } = useHost()
  const { user_id, start_date, end_date, source } = filters
  const query = { user_id, start_date, end_date, source, ...canonicalOf(filters), node, limit: PAGE_SIZE }
  return usePagedQuery({
    queryKey: ['graph-mentions', query],
    readPage: (page, signal) => api.page('GET /graph/mentions', { query: { ...query, ...page }, signal }),
  })
}
