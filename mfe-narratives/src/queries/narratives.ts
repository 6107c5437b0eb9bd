import { type Action, errorToast, hasStatus, useAction, useHost } from '@iodine/mfe-kit'
import { usePagedQuery, useQueryClient } from '@iodine/mfe-kit/query'
import { useState } from 'react'

export const NARRATIVES_KEY = ['narratives']

const PAGE_SIZE = 50
const POLL_MS = 3_000

/** Reads the user's narratives, newest first, paginated. Refetched every 3 s while `polling`. */
export function useNarratives(polling: boolean) {
  const { api } = useHost()
  return usePagedQuery({
    queryKey: NARRATIVES_KEY,
    readPage: (page, signal) =>
      api.page('GET /narratives/data', { query: { limit: PAGE_SIZE, ...page }, signal }),
    refetchInterval: polling ? POLL_MS : false,
  })
}

interface Deletion {
  id: string
  /** Called when the toast's Undo is pressed. */
  onUndone: () => void
}

/** Deletes narratives, and restores them while the service allows it. */
export function useDeleteNarrative() {
  const { api } = useHost()
  const client = useQueryClient()
  const [deleting, setDeleting] = useState<readonly string[]>([])
  /** Resolves to true if no further Undo is possible, after the list is refetched. */
  const { run: restore }: Action<string> = useAction({
    mutationFn: async (id: string): Promise<boolean> => {
      try {
        await api.call('POST /narratives/data/:id/restore', { params: { id } })
      } catch (error) {
        // 409: another Undo button has already restored it.
        if (!hasStatus(error, 404) && !hasStatus(error, 409)) throw error
        return hasStatus(error, 409)
      }
      return true
    },
    done: isRestored => (isRestored ? null : errorToast(null, 'This narrative can no longer be restored')),
    failed: (error, id) =>
      errorToast(error, 'Unable to restore narrative', {
        key: id,
        action: { text: 'Try again', onClick: () => void restore(id) },
      }),
    onSuccess: () => client.invalidateQueries({ queryKey: NARRATIVES_KEY }),
  })
  const { run: remove } = useAction({
    mutationFn: ({ id }: Deletion) => api.call('DELETE /narratives/data/:id', { params: { id } }),
    onMutate: ({ id }) => setDeleting(ids => [...ids, id]),
    onSettled: (_result, _error, { id }) => setDeleting(ids => ids.filter(other => other !== id)),
    onSuccess: () => void client.invalidateQueries({ queryKey: NARRATIVES_KEY }),
    done: (_, { id, onUndone }) => ({
      title: 'Narrative deleted',
      key: id,
      action: { text: 'Undo', onClick: onUndone },
    }),
    failed: 'Unable to delete narrative',
  })
  return { deleting, remove, restore }
}
