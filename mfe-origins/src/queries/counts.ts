import { useHost } from '@iodine/mfe-kit'
import { useMutation, useQuery } from '@iodine/mfe-kit/query'

/** Reads whether the user takes part in the anonymous counts, which is required to query them. */
export function useCounting() {
  const { api } = useHost()
  return useQuery({
    queryKey: ['counting'],
    queryFn: ({ signal }) => api.call('GET /sightings/counting', { signal }),
  })
}

/** Queries how many other users collected the same. It runs on demand: queries per hour are limited. */
export function useOtherCounts() {
  const { api } = useHost()
  return useMutation({
    mutationFn: (body: { record_id: string } | { iod_id: string }) =>
      api.call('POST /sightings/counts', { body }),
  })
}
