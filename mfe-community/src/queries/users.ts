import { type CommunityUser, LIMITS } from '@iodine/contracts'
import { useHost } from '@iodine/mfe-kit'
import { keepPreviousData, useInfiniteQuery } from '@iodine/mfe-kit/query'
import { useMemo } from 'react'

interface UsersPage {
  users: CommunityUser[]
  total: number
  nextCursor: string | null
}

/** Public profiles whose name holds the term, newest first, a page of 20 at a time. */
export function useUsers(term: string) {
  const { api } = useHost()
  const query = useInfiniteQuery({
    queryKey: ['community', 'users', term],
    queryFn: async ({ pageParam, signal }): Promise<UsersPage> => {
      const { items, nextCursor } = await api.page('GET /community/users', {
        query: {
          skip: 0,
          limit: LIMITS.communityPageSize,
          ...(pageParam !== null && { cursor: pageParam }),
          ...(term && { search: term }),
        },
        signal,
      })
      return { ...readAnswer(items), nextCursor }
    },
    initialPageParam: null as string | null,
    getNextPageParam: page => page.nextCursor,
    placeholderData: keepPreviousData,
  })
  const { data } = query
  const users = useMemo(() => data?.pages.flatMap(page => page.users), [data])
  return { ...query, users, total: data?.pages[0]?.total ?? 0 }
}

/** An answer of another shape counts as an empty list. */
function readAnswer(answer: unknown): { users: CommunityUser[]; total: number } {
  const { users, total } = (answer ?? {}) as Partial<UsersPage>
  return Array.isArray(users)
    ? { users, total: typeof total === 'number' ? total : users.length }
    : { users: [], total: 0 }
}
