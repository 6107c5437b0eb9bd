import { Button, type ButtonProps } from '@blueprintjs/core'
import { isUnauthorized } from '@iodine/contracts'
import { ErrorCallout } from './ErrorCallout'
import styles from './LoadMore.module.css'

/** State of a paginated list, as `usePagedQuery` returns it. */
export interface PagedState {
  hasNextPage: boolean
  isFetchingNextPage: boolean
  fetchNextPage: () => unknown
  /** Why the next page could not be loaded. */
  nextPageError?: unknown
}

export interface LoadMoreProps extends Pick<ButtonProps, 'text' | 'size' | 'variant'> {
  query: PagedState
  /** Renders the button alone, without the box that centres it. */
  inline?: boolean
}

/**
 * A button that loads the next page of a list; the error with Retry once that has failed. Renders nothing on the
 * last page.
 */
export function LoadMore({ query, inline = false, ...look }: LoadMoreProps) {
  const { hasNextPage, isFetchingNextPage, fetchNextPage, nextPageError } = query
  if (!hasNextPage) return null
  const load = () => void fetchNextPage()
  if (nextPageError && !isUnauthorized(nextPageError))
    return (
      <div lang="en">
        <ErrorCallout
          title="The rest could not be loaded"
          error={nextPageError}
          onRetry={load}
          retrying={isFetchingNextPage}
        />
      </div>
    )
  const button = <Button {...look} loading={isFetchingNextPage} onClick={load} />
  return inline ? button : <div className={styles.more}>{button}</div>
}
