import type { Citation } from '@iodine/contracts'
import { useHost } from '@iodine/mfe-kit'
import { useQuery, useQueryClient } from '@iodine/mfe-kit/query'
import { useCallback } from 'react'

/** A narrative's text and triplets never change, so neither does where it says them. */
const options = (narrativeId: string) => ({
  queryKey: ['citations', narrativeId],
  staleTime: Number.POSITIVE_INFINITY,
})

/** Where a narrative says its triplets; undefined until known. Asked for once it is `wanted`. */
export function useCitations(narrativeId: string, wanted: boolean): Citation[] | undefined {
  const { api } = useHost()
  const { data } = useQuery({
    ...options(narrativeId),
    queryFn: ({ signal }) =>
      api.call('GET /narratives/data/:id/citations', { params: { id: narrativeId }, signal }),
    enabled: wanted,
  })
  return data
}

/** Returns a function that reads where a narrative says its triplets. Rejects if that fails. */
export function useReadCitations(): (narrativeId: string) => Promise<Citation[]> {
  const { api } = useHost()
  const client = useQueryClient()
  return useCallback(
    narrativeId =>
      client.fetchQuery({
        ...options(narrativeId),
        queryFn: () => api.call('GET /narratives/data/:id/citations', { params: { id: narrativeId } }),
      }),
    [api, client],
  )
}
