import type { GraphLink } from '@iodine/contracts'
import { useHost } from '@iodine/mfe-kit'
import { useInfiniteQuery } from '@iodine/mfe-kit/query'
import type { Filters } from '../model/filters'

const PAGE_SIZE = 20

/** The narratives that say a link, newest first, of the user, the days and the source that the graph shows. */
export function useTexts({ source: from, target: to }: GraphLink, filters: Partial<Filters>) {
  const { api } = useHost()
  const { user_id, start_date, end_date, source } = filters
  const query = { user_id, start_date, end_date, source, from, to, limit: PAGE_SIZE }
  const { data, ...state } = useInfiniteQuery({
    queryKey: ['graph-texts', query],
    queryFn: ({ pageParam, signal }) =>
      api.page('GET /graph/texts', { query: { ...query, ...(pageParam && { cursor: pageParam }) }, signal }),
    initialPageParam: '',
    getNextPageParam: page => page.nextCursor,
  })
  return { ...state, texts: data?.pages.flatMap(page => page.items), total: data?.pages[0]?.total ?? null }
}
