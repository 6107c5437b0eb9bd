import { type ContributionType, LIMITS } from '@iodine/contracts'
import { useHost } from '@iodine/mfe-kit'
import { keepPreviousData, useInfiniteQuery } from '@iodine/mfe-kit/query'
import { useMemo } from 'react'

/** A public profile with its contributions of one type, or of all, newest first, 50 at a time. */
export function useProfile(userId: string, type: ContributionType | null) {
  const { api } = useHost()
  const query = useInfiniteQuery({
    queryKey: ['community', 'profile', userId, type],
    queryFn: ({ pageParam, signal }) =>
      api.page('GET /community/users/:id', {
        params: { id: userId },
        query: {
          skip: 0,
          limit: LIMITS.contributionsPageSize,
          ...(pageParam !== null && { cursor: pageParam }),
          ...(type && { contribution_type: type }),
        },
        signal,
      }),
    initialPageParam: null as string | null,
    getNextPageParam: page => page.nextCursor,
    placeholderData: keepPreviousData,
  })
  const { data } = query
  const contributions = useMemo(() => data?.pages.flatMap(page => page.items.all_contributions) ?? [], [data])
  return { ...query, profile: data?.pages[0]?.items, contributions }
}
