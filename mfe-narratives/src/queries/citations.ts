import type { Citation } from '@iodine/contracts'
import { useHost } from '@iodine/mfe-kit'
import { useQuery, useQueryClient } from '@iodine/mfe-kit/query'
import { useCallback } from 'react'

/** A narrative's text and triplets never change, so its citations do not either. */
const options = (narrativeId: string) => ({
  queryKey: ['citations', narrativeId],
  staleTime: Number.POSITIVE_INFINITY,
})

/** Reads the sentences of a narrative's triplets once `wanted`; undefined while they load. */
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

/** Returns a function that reads the sentences of a narrative's triplets. It rejects on failure. */
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
