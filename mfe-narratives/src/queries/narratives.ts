import { errorToast, useHost } from '@iodine/mfe-kit'
import { useMutation, usePagedQuery, useQueryClient } from '@iodine/mfe-kit/query'
import { useMemo } from 'react'

export const NARRATIVES_KEY = ['narratives']

const PAGE_SIZE = 50
const POLL_MS = 3_000
const DELETED_MS = 3_000

/** The user's narratives, newest first, paginated. Refetched every 3 s while `polling`. */
export function useNarratives(polling: boolean) {
  const { api } = useHost()
  const query = usePagedQuery({
    queryKey: NARRATIVES_KEY,
    readPage: (page, signal) =>
      api.page('GET /narratives/data', { query: { limit: PAGE_SIZE, ...page }, signal }),
    refetchInterval: polling ? POLL_MS : false,
  })
  const pages = query.data?.pages
  const narratives = useMemo(() => pages?.flatMap(page => page.items), [pages])
  return { ...query, data: narratives, total: pages?.[0]?.total ?? narratives?.length ?? 0 }
}

/** Deletes a narrative and refetches the list. Toasts report the result. */
export function useDeleteNarrative() {
  const { api, notify } = useHost()
  const client = useQueryClient()
  return useMutation({
    mutationFn: (id: string) => api.call('DELETE /narratives/data/:id', { params: { id } }),
    onSuccess: async () => {
      notify({ status: 'success', title: 'Narrative deleted', duration: DELETED_MS })
      await client.invalidateQueries({ queryKey: NARRATIVES_KEY })
    },
    onError: error => notify(errorToast(error, 'Unable to delete narrative')),
  })
}
