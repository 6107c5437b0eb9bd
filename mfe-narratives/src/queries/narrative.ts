import type { Narrative } from '@iodine/contracts'
import { useHost } from '@iodine/mfe-kit'
import { useQuery, useQueryClient } from '@iodine/mfe-kit/query'
import { useCallback } from 'react'
import { NARRATIVES_KEY } from './narratives'

/** Reads one of the user's narratives. */
export function useNarrative(id: string) {
  const { api } = useHost()
  return useQuery({
    queryKey: [...NARRATIVES_KEY, 'one', id],
    queryFn: ({ signal }) => api.call('GET /narratives/data/:id', { params: { id }, signal }),
  })
}

/** Returns a function that reads one of the user's narratives. It rejects on failure. */
export function useReadNarrative(): (id: string) => Promise<Narrative> {
  const { api } = useHost()
  const client = useQueryClient()
  return useCallback(
    id =>
      client.fetchQuery({
        queryKey: [...NARRATIVES_KEY, 'one', id],
        queryFn: () => api.call('GET /narratives/data/:id', { params: { id } }),
      }),
    [api, client],
  )
}
