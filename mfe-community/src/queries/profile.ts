import { type ContributionType, LIMITS } from '@iodine/contracts'
import { useHost } from '@iodine/mfe-kit'
import { keepPreviousData, usePagedQuery } from '@iodine/mfe-kit/query'
import { useMemo } from 'react'

/** Reads a public profile with its contributions of one type, or of all types, newest first, 50 per page. */
export function useProfile(userId: string, type: ContributionType | null) {
  const { api } = useHost()
  const query = usePagedQuery({
    queryKey: ['community', 'profile', userId, type],
    readPage: (page, signal) =>
      api.page('GET /community/users/:id', {
        params: { id: userId },
        query: {
          skip: 0,
          limit: LIMITS.contributionsPageSize,
          ...page,
          ...(type && { contribution_type: type }),
        },
        signal,
      }),
    placeholderData: keepPreviousData,
  })
  const { pages } = query
  const contributions = useMemo(() => pages?.flatMap(page => page.items.all_contributions) ?? [], [pages])
  return { ...query, data: pages?.[0]?.items, contributions }
}
