import type { Input } from '@iodine/mfe-kit'
import { type Action, useAction, useHost } from '@iodine/mfe-kit'
import { usePagedQuery, useQuery, useQueryClient } from '@iodine/mfe-kit/query'

const UNREAD_KEY = ['notifications', 'unread']
const LIST_KEY = ['notifications', 'list']
const PAGE_SIZE = 20
const POLL_MS = 60_000

/** Polls the number of unread notifications while the page is visible. The browser revalidates it by its ETag. */
export function useUnread() {
  const { api } = useHost()
  return useQuery({
    queryKey: UNREAD_KEY,
    queryFn: ({ signal }) => api.call('GET /notifications/unread', { signal }),
    refetchInterval: POLL_MS,
    refetchOnWindowFocus: true,
    staleTime: POLL_MS,
  })
}

/** Reads the notifications, latest first, and again with each poll. */
export function useNotifications() {
  const { api } = useHost()
  return usePagedQuery({
    queryKey: LIST_KEY,
    readPage: (page, signal) =>
      api.page('GET /notifications', { query: { limit: PAGE_SIZE, ...page }, signal }),
    refetchInterval: POLL_MS,
  })
}

/** Marks notifications read. */
export function useMarkRead(): Action<NonNullable<Input<'POST /notifications/read'>['body']>> {
  const { api } = useHost()
  const client = useQueryClient()
  return useAction({
    mutationFn: body => api.call('POST /notifications/read', { body }),
    onSuccess: state => client.setQueryData(UNREAD_KEY, state),
    failed: 'Unable to mark as read',
    invalidates: [LIST_KEY],
  })
}
