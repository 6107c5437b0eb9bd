import { useHost } from '@iodine/mfe-kit'
import { useQuery } from '@iodine/mfe-kit/query'
import { NARRATIVES_KEY } from './narratives'

/** One of the user's narratives. */
export function useNarrative(id: string) {
  const { api } = useHost()
  return useQuery({
    queryKey: [...NARRATIVES_KEY, 'one', id],
    queryFn: ({ signal }) => api.call('GET /narratives/data/:id', { params: { id }, signal }),
  })
}
