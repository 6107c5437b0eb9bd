import type { RecordImport } from '@iodine/contracts'
import { useAction, useHost } from '@iodine/mfe-kit'
import { usePagedQuery, useQueryClient } from '@iodine/mfe-kit/query'

const KEY = ['record-imports']
const PAGE_SIZE = 20
/** Interval of polling while an import is being undone, in milliseconds. */
const UNDOING_POLL_MS = 2_000

/** Reads the user's imports, newest first. */
export function useRecordImports() {
  const { api } = useHost()
  return usePagedQuery({
    queryKey: KEY,
    readPage: (page, signal) => api.page('GET /imports', { query: { limit: PAGE_SIZE, ...page }, signal }),
    refetchInterval: ({ state: { data } }) =>
      data?.pages.some(({ items }) => items.some(({ state }) => state === 'undoing'))
        ? UNDOING_POLL_MS
        : false,
  })
}

/** Returns a function that refetches the imports. */
export function useReloadImports(): () => Promise<void> {
  const queryClient = useQueryClient()
  return () => queryClient.invalidateQueries({ queryKey: KEY })
}

/** Undoes an import: the server removes its records afterwards. */
export function useUndoImport() {
  const { api } = useHost()
  return useAction({
    mutationFn: ({ id }: RecordImport) => api.call('DELETE /imports/:id', { params: { id } }),
    failed: 'Failed to undo the import',
    invalidates: [KEY],
  })
}
