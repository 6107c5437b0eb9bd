import { useHost } from '@iodine/mfe-kit'
import { useMutation, useQuery } from '@iodine/mfe-kit/query'

/** Whether the user counts for others, and may ask for counts. */
export function useCounting() {
  const { api } = useHost()
  return useQuery({
    queryKey: ['counting'],
    queryFn: ({ signal }) => api.call('GET /sightings/counting', { signal }),
  })
}

/** Asks how many others have collected the same: on demand, as an hour has few questions. */
export function useOtherCounts() {
  const { api } = useHost()
  return useMutation({
    mutationFn: (body: { record_id: string } | { iod_id: string }) =>
      api.call('POST /sightings/counts', { body }),
  })
}
