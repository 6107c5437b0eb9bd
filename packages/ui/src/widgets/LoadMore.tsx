import { Button, type ButtonProps } from '@blueprintjs/core'
import styles from './LoadMore.module.css'

/** State of a paginated list, as TanStack Query returns it. */
export interface PagedState {
  hasNextPage: boolean
  isFetchingNextPage: boolean
  fetchNextPage: () => unknown
}

export interface LoadMoreProps extends Pick<ButtonProps, 'text' | 'size' | 'variant'> {
  query: PagedState
  /** Renders the button alone, without the box that centres it. */
  inline?: boolean
}

/** A button that loads the next page of a list. Renders nothing on the last page. */
export function LoadMore({ query, inline = false, ...look }: LoadMoreProps) {
  if (!query.hasNextPage) return null
  const button = (
    <Button {...look} loading={query.isFetchingNextPage} onClick={() => void query.fetchNextPage()} />
  )
  return inline ? button : <div className={styles.more}>{button}</div>
}
