import type { Iod } from '@iodine/contracts'
import { useHost } from '@iodine/mfe-kit'
import { type QueryClient, useQuery, useQueryClient } from '@iodine/mfe-kit/query'
import { type IodPages, LIST_KEY } from './list'

/** Query key prefix of single IODs. */
export const IOD_KEY = ['iods', 'one']

/** Time for which a cached IOD and its occurrences are not requested again, in milliseconds. */
export const FRESH_MS = 60_000

/** Returns an IOD from the cached lists. */
const listed = (queryClient: QueryClient, id: string): Iod | undefined => {
  const lists = queryClient.getQueriesData<IodPages>({ queryKey: LIST_KEY })
  return lists
    .flatMap(([, list]) => list?.pages ?? [])
    .flatMap(page => page.items)
    .find(iod => iod.id === id)
}

/** Reads an IOD. An IOD from a cached list needs no request. */
export function useIod(id: string) {
  const { api } = useHost()
  const queryClient = useQueryClient()
  return useQuery({
    queryKey: [...IOD_KEY, id],
    queryFn: ({ signal }) => api.call('GET /iods/:id', { params: { id }, signal }),
    initialData: () => listed(queryClient, id),
    staleTime: FRESH_MS,
  })
}

/** Returns a function that finds a cached single IOD, such as that of the open panel. */
export function useCachedIod(): (id: string) => Iod | undefined {
  const queryClient = useQueryClient()
  return id => queryClient.getQueryData<Iod>([...IOD_KEY, id])
}
