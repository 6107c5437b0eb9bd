import type { Citation } from '@iodine/contracts'
import { type ApiClient, useHost } from '@iodine/mfe-kit'
import { useQuery, useQueryClient } from '@iodine/mfe-kit/query'

/** A narrative's text and triplets never change, so its citations do not either. */
const citationsQuery = (api: ApiClient, id: string) => ({
  queryKey: ['citations', id],
  queryFn: () => api.call('GET /narratives/data/:id/citations', { params: { id } }),
  staleTime: Number.POSITIVE_INFINITY,
})

/** Reads the sentences of a narrative's triplets once `wanted`; undefined while they load. */
export function useCitations(narrativeId: string, wanted: boolean): Citation[] | undefined {
  const { api } = useHost()
  return useQuery({ ...citationsQuery(api, narrativeId), enabled: wanted }).data
}

/** Returns a function that reads the sentences of a narrative's triplets. It rejects on failure. */
export function useReadCitations() {
  const { api } = useHost()
  const client = useQueryClient()
  return (narrativeId: string) => client.fetchQuery(citationsQuery(api, narrativeId))
}
