import { useHost } from '@iodine/mfe-kit'
import { useInfiniteQuery } from '@iodine/mfe-kit/query'
import { useMemo } from 'react'

export const NARRATIVES_KEY = ['narratives']

const PAGE_SIZE = 50
const POLL_MS = 3_000

/** The caller's narratives, newest first, page by page; asked for again every few seconds while `polling`. */
export function useNarratives(polling: boolean) {
  const { api } = useHost()
  const query = useInfiniteQuery({
    queryKey: NARRATIVES_KEY,
    queryFn: ({ pageParam, signal }) =>
      api.page('GET /narratives/data', {
        query: { limit: PAGE_SIZE, ...(pageParam !== null && { cursor: pageParam }) },
        signal,
      }),
    initialPageParam: null as string | null,
    getNextPageParam: page => page.nextCursor,
    refetchInterval: polling ? POLL_MS : false,
  })
  const pages = query.data?.pages
  const narratives = useMemo(() => pages?.flatMap(page => page.items), [pages])
  return { ...query, narratives, total: pages?.[0]?.total ?? narratives?.length ?? 0 }
}
