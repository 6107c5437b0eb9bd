import type { Iod } from '@iodine/contracts'
import { useHost } from '@iodine/mfe-kit'
import { type QueryClient, useQuery, useQueryClient } from '@iodine/mfe-kit/query'
import { useCallback } from 'react'
import { type IodPages, LISTS } from './list'

/** Key of IODs that are read one by one. */
export const ONE = ['iods', 'one']

/** How long an IOD, or where it occurs, is shown from the cache without asking again, in milliseconds. */
export const FRESH_MS = 60_000

/** An IOD as the lists in the cache have it. */
const listed = (queryClient: QueryClient, id: string): Iod | undefined => {
  const lists = queryClient.getQueriesData<IodPages>({ queryKey: LISTS })
  return lists
    .flatMap(([, list]) => list?.pages ?? [])
    .flatMap(page => page.items)
    .find(iod => iod.id === id)
}

/** One IOD. Nothing is asked for one that the list has read. */
export function useIod(id: string) {
  const { api } = useHost()
  const queryClient = useQueryClient()
  return useQuery({
    queryKey: [...ONE, id],
    queryFn: ({ signal }) => api.call('GET /iods/:id', { params: { id }, signal }),
    initialData: () => listed(queryClient, id),
    staleTime: FRESH_MS,
  })
}

/** Returns a function that reads the IOD of the open panel again. */
export function useRefreshOne(): () => Promise<void> {
  const queryClient = useQueryClient()
  return useCallback(() => queryClient.invalidateQueries({ queryKey: ONE }), [queryClient])
}

/** Returns a function that finds an IOD that has been read by itself, such as that of the open panel. */
export function useCachedIod(): (id: string) => Iod | undefined {
  const queryClient = useQueryClient()
  return useCallback(id => queryClient.getQueryData<Iod>([...ONE, id]), [queryClient])
}
