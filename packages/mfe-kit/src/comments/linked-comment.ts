import type { ThreadComment } from '@iodine/contracts'
import type { PagedState } from '@iodine/ui'
import { useSearchParams } from '@iodine/ui/router'
import { useEffect, useRef } from 'react'

/** Returns the id of the comment that the URL names, if any. */
export const useLinkedComment = (): string | undefined => useSearchParams()[0].get('comment') ?? undefined

/** Scrolls to a comment and focuses it, once. Loads further pages until they contain it. */
export function useScrollTo(
  id: string | undefined,
  comments: readonly ThreadComment[] | undefined,
  { hasNextPage, isFetchingNextPage, nextPageError, fetchNextPage }: PagedState,
): void {
  const shown = useRef<string>(undefined)
  useEffect(() => {
    if (id === undefined || !comments || shown.current === id) return
    if (comments.some(comment => comment.id === id)) {
      shown.current = id
      const element = document.getElementById(`comment-${id}`)
      element?.scrollIntoView({ block: 'center' })
      element?.focus({ preventScroll: true })
    } else if (hasNextPage && !isFetchingNextPage && !nextPageError) void fetchNextPage()
  }, [id, comments, hasNextPage, isFetchingNextPage, nextPageError, fetchNextPage])
}
