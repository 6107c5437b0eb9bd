import { Button, type ButtonProps } from '@blueprintjs/core'
import { isUnauthorized } from '@iodine/contracts'
import { ErrorCallout } from './ErrorCallout'
import styles from './LoadMore.module.css'

/** State of a paginated list, as `usePagedQuery` returns it. */
export interface PagedState {
  hasNextPage: boolean
  isFetchingNextPage: boolean
  fetchNextPage: () => unknown
  /** The error of the last attempt to load the next page. */
  nextPageError?: unknown
}

export interface LoadMoreProps extends Pick<ButtonProps, 'text' | 'size' | 'variant'> {
  query: PagedState
  /** Renders the button alone, without the box that centres it. */
  inline?: boolean
}

/**
 * A button that loads the next page of a list. After a failure it shows the error, and the button retries. Renders
 * nothing on the last page.
 */
export function LoadMore({ query, inline = false, ...look }: LoadMoreProps) {
  const { hasNextPage, isFetchingNextPage, fetchNextPage, nextPageError } = query
  if (!hasNextPage) return null
  const isFailed = Boolean(nextPageError) && !isUnauthorized(nextPageError)
  // Both states share one button, which keeps the focus.
  const button = (
    <Button
      {...look}
      {...(isFailed && { text: 'Retry', lang: 'en' })}
      loading={isFetchingNextPage}
      onClick={() => void fetchNextPage()}
    />
  )
  return (
    <>
      {isFailed && (
        <div lang="en">
          <ErrorCallout title="Unable to load more" error={nextPageError} />
        </div>
      )}
      {inline ? button : <div className={styles.more}>{button}</div>}
    </>
  )
}
