import { type CommunityUser, LIMITS } from '@iodine/contracts'
import { useHost } from '@iodine/mfe-kit'
import { keepPreviousData, usePagedQuery } from '@iodine/mfe-kit/query'
import { useMemo } from 'react'

interface UsersPage {
  users: CommunityUser[]
  total: number
  nextCursor: string | null
}

/** Public profiles whose name contains the term, newest first, 20 a page. */
export function useUsers(term: string) {
  const { api } = useHost()
  const query = usePagedQuery({
    queryKey: ['community', 'users', term],
    readPage: async (page, signal): Promise<UsersPage> => {
      const { items, nextCursor } = await api.page('GET /community/users', {
        query: { skip: 0, limit: LIMITS.communityPageSize, ...page, ...(term && { search: term }) },
        signal,
      })
      return { ...readAnswer(items), nextCursor }
    },
    placeholderData: keepPreviousData,
  })
  const pages = query.data?.pages
  const users = useMemo(() => pages?.flatMap(page => page.users), [pages])
  return { ...query, data: users, total: pages?.[0]?.total ?? 0 }
}

/** A response of another shape counts as an empty list. */
function readAnswer(answer: unknown): { users: CommunityUser[]; total: number } {
  const { users, total } = (answer ?? {}) as Partial<UsersPage>
  return Array.isArray(users)
    ? { users, total: typeof total === 'number' ? total : users.length }
    : { users: [], total: 0 }
}
