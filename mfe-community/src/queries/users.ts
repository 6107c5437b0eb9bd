import { type CommunityUser, LIMITS } from '@iodine/contracts'
import { useHost } from '@iodine/mfe-kit'
import { keepPreviousData, usePagedQuery } from '@iodine/mfe-kit/query'

interface UsersPage {
  items: CommunityUser[]
  total: number
  nextCursor: string | null
}

/** Reads public profiles whose name contains the term, newest first, 20 per page. */
export function useUsers(term: string) {
  const { api } = useHost()
  return usePagedQuery({
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
}

/** A malformed response counts as an empty list. */
function readAnswer(answer: unknown): { items: CommunityUser[]; total: number } {
  const { users, total } = (answer ?? {}) as { users?: CommunityUser[]; total?: number }
  return Array.isArray(users)
    ? { items: users, total: typeof total === 'number' ? total : users.length }
    : { items: [], total: 0 }
}
