import { errorToast, hasStatus, useHost } from '@iodine/mfe-kit'
import { usePagedQuery, useQueryClient } from '@iodine/mfe-kit/query'
import { useCallback, useMemo, useState } from 'react'

export const NARRATIVES_KEY = ['narratives']

const PAGE_SIZE = 50
const POLL_MS = 3_000

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

/** Deletes narratives, and brings them back while the service can. Toasts report the result. */
export function useDeleteNarrative() {
  const { api, notify } = useHost()
  const client = useQueryClient()
  const [deleting, setDeleting] = useState<readonly string[]>([])
  const reload = useCallback(() => client.invalidateQueries({ queryKey: NARRATIVES_KEY }), [client])

  /** Resolves to whether nothing is left to undo, once the list is up to date. */
  const restore = useCallback(
    async (id: string): Promise<boolean> => {
      try {
        await api.call('POST /narratives/data/:id/restore', { params: { id } })
      } catch (error) {
        if (hasStatus(error, 404)) notify(errorToast(null, 'This narrative can no longer be restored'))
        // 409: the other button has restored it.
        else if (!hasStatus(error, 409)) {
          const again = { text: 'Try again', onClick: () => void restore(id) }
          notify(errorToast(error, 'Unable to restore narrative', { key: id, action: again }))
          return false
        }
      }
      await reload()
      return true
    },
    [api, notify, reload],
  )

  /** @param onUndone called when the toast's Undo is pressed. Resolves to whether the narrative was deleted. */
  const remove = useCallback(
    async (id: string, onUndone: () => void): Promise<boolean> => {
      setDeleting(ids => [...ids, id])
      try {
        await api.call('DELETE /narratives/data/:id', { params: { id } })
      } catch (error) {
        notify(errorToast(error, 'Unable to delete narrative'))
        return false
      } finally {
        setDeleting(ids => ids.filter(other => other !== id))
      }
      notify({
        status: 'success',
        title: 'Narrative deleted',
        key: id,
        action: { text: 'Undo', onClick: onUndone },
      })
      void reload()
      return true
    },
    [api, notify, reload],
  )
  return { deleting, remove, restore }
}
