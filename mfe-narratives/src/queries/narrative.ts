import { type ApiClient, useHost } from '@iodine/mfe-kit'
import { useQuery, useQueryClient } from '@iodine/mfe-kit/query'
import { NARRATIVES_KEY } from './narratives'

const narrativeQuery = (api: ApiClient, id: string) => ({
  queryKey: [...NARRATIVES_KEY, 'one', id],
  queryFn: () => api.call('GET /narratives/data/:id', { params: { id } }),
})

/** Reads one of the user's narratives. */
export const useNarrative = (id: string) => useQuery(narrativeQuery(useHost().api, id))

/** Returns a function that reads one of the user's narratives. It rejects on failure. */
export function useReadNarrative() {
  const { api } = useHost()
  const client = useQueryClient()
  return (id: string) => client.fetchQuery(narrativeQuery(api, id))
}
