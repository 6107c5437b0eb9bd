import { type Contribution, type ContributionType, LIMITS } from '@iodine/contracts'
import { useHost } from '@iodine/mfe-kit'
import { keepPreviousData, useInfiniteQuery } from '@iodine/mfe-kit/query'
import { useMemo } from 'react'

/** A public profile with its contributions of one type, or of all, newest first, 50 at a time. */
export function useProfile(userId: string, type: ContributionType | null) {
  const { api } = useHost()
  const query = useInfiniteQuery({
    queryKey: ['community', 'profile', userId, type],
    queryFn: ({ pageParam, signal }) =>
      api.call('GET /community/users/:id', {
        params: { id: userId },
        query: {
          skip: pageParam,
          limit: LIMITS.contributionsPageSize,
          ...(type && { contribution_type: type }),
        },
        signal,
      }),
    initialPageParam: 0,
    getNextPageParam: (page, pages) =>
      page.all_contributions.length < LIMITS.contributionsPageSize
        ? null
        : pages.length * LIMITS.contributionsPageSize,
    placeholderData: keepPreviousData,
  })
  const { data } = query
  const contributions = useMemo(() => {
    const byKey = new Map<string, Contribution>()
    for (const page of data?.pages ?? [])
      for (const each of page.all_contributions) byKey.set(`${each.type} ${each.id}`, each)
    return [...byKey.values()]
  }, [data])
  return { ...query, profile: data?.pages[0], contributions }
}
