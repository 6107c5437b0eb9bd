import { type CommunityUser, LIMITS } from '@iodine/contracts'
import { useHost } from '@iodine/mfe-kit'
import { keepPreviousData, useInfiniteQuery } from '@iodine/mfe-kit/query'
import { useMemo } from 'react'

interface UsersPage {
  users: CommunityUser[]
  total: number
}

/** Public profiles whose name holds the term, newest first, a page of 20 at a time. */
export function useUsers(term: string) {
  const { api } = useHost()
  const query = useInfiniteQuery({
    queryKey: ['community', 'users', term],
    queryFn: async ({ pageParam, signal }): Promise<UsersPage> => {
      const answer: unknown = await api.call('GET /community/users', {
        query: { skip: pageParam, limit: LIMITS.communityPageSize, ...(term && { search: term }) },
        signal,
      })
      return readPage(answer)
    },
    initialPageParam: 0,
    getNextPageParam: (page, pages) => {
      const seen = pages.reduce((sum, { users }) => sum + users.length, 0)
      return page.users.length > 0 && seen < page.total ? seen : null
    },
    placeholderData: keepPreviousData,
  })
  const { data } = query
  // Somebody who joins while the list is read moves the others to the next page.
  const users = useMemo(() => {
    const byId = new Map(data?.pages.flatMap(page => page.users).map(user => [user.id, user]))
    return data && [...byId.values()]
  }, [data])
  return { ...query, users, total: data?.pages[0]?.total ?? 0 }
}

/** An answer of another shape counts as an empty list. */
function readPage(answer: unknown): UsersPage {
  const { users, total } = (answer ?? {}) as Partial<UsersPage>
  return Array.isArray(users)
    ? { users, total: typeof total === 'number' ? total : users.length }
    : { users: [], total: 0 }
}
