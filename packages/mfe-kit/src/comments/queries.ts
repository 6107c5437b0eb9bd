import { LIMITS } from '@iodine/contracts'
import { type QueryKey, usePagedQuery, useQuery } from '@iodine/mfe-kit/query'
import { useState } from 'react'
import { useAction } from '../action'
import { useHost } from '../use-host'

/** An IOD or a campaign, by the first segment of its paths. */
export interface Subject {
  kind: 'iods' | 'campaigns'
  id: string
}

/** Time in which a deletion can be undone, in milliseconds. */
const UNDO_MS = 7_000
const PEOPLE_SHOWN = 5

const keyOf = ({ kind, id }: Subject): QueryKey => ['comments', kind, id]

/** Reads the comments on a subject, oldest first, paginated. `enabled`: whether to send the request. */
export function useComments(subject: Subject, enabled = true) {
  const { api } = useHost()
  const { kind, id } = subject
  return usePagedQuery({
    queryKey: keyOf(subject),
    enabled,
    readPage: (page, signal) =>
      api.page(`GET /${kind}/:id/comments`, {
        params: { id },
        query: { limit: LIMITS.listLimitMax, ...page },
        signal,
      }),
  })
}

export interface NewComment {
  content: string
  reply_to: string | null
  /** Idempotency key; absent where the browser cannot create one. */
  key?: string | undefined
}

/**
 * Returns the changes of a subject's comments.
 * @param shownIn keys of other queries that contain the comments or their number
 */
export function useCommentActions(subject: Subject, shownIn: readonly QueryKey[]) {
  const { api } = useHost()
  const { kind, id } = subject
  const invalidates = [keyOf(subject), ...shownIn]
  const add = useAction({
    mutationFn: (body: NewComment) => api.call(`POST /${kind}/:id/comments`, { params: { id }, body }),
    failed: 'Unable to add the comment',
    invalidates,
  })
  const edit = useAction({
    mutationFn: ({ cid, content }: { cid: string; content: string }) =>
      api.call(`PATCH /${kind}/:id/comments/:cid`, { params: { id, cid }, body: { content } }),
    failed: 'Unable to edit the comment',
    invalidates,
  })
  const remove = useAction({
    mutationFn: (cid: string) => api.call(`DELETE /${kind}/:id/comments/:cid`, { params: { id, cid } }),
    failed: 'Unable to delete the comment',
    invalidates,
  })
  return { add, edit, remove }
}

/**
 * Hides a comment at once, and deletes it after `UNDO_MS` unless the user presses Undo. A closed page deletes it at
 * once.
 * @returns the ids of hidden comments, and a function that hides and deletes one
 */
export function useUndoableRemoval(
  run: (id: string) => Promise<boolean>,
): [hidden: ReadonlySet<string>, remove: (id: string) => void] {
  const { notify } = useHost()
  const [hidden, setHidden] = useState<ReadonlySet<string>>(new Set())
  const show = (id: string) => setHidden(current => new Set([...current].filter(each => each !== id)))
  const remove = (id: string) => {
    setHidden(current => new Set([...current, id]))
    const end = () => {
      stop()
      void run(id).then(() => show(id))
    }
    const timer = setTimeout(end, UNDO_MS)
    const stop = () => {
      clearTimeout(timer)
      window.removeEventListener('pagehide', end)
    }
    window.addEventListener('pagehide', end)
    notify({
      title: 'Comment deleted',
      status: 'success',
      duration: UNDO_MS,
      action: {
        text: 'Undo',
        onClick: () => {
          stop()
          show(id)
        },
      },
    })
  }
  return [hidden, remove]
}

/** Reads the first users whose name contains a text; none for an empty text. */
export function usePeople(search: string) {
  const { api } = useHost()
  return useQuery({
    queryKey: ['people', search],
    queryFn: ({ signal }) =>
      api.call('GET /community/users', { query: { search, limit: PEOPLE_SHOWN }, signal }),
    enabled: search !== '',
    staleTime: 60_000,
  })
}
