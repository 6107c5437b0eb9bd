import { Button, type ButtonProps } from '@blueprintjs/core'
import styles from './LoadMore.module.css'

/** A list that is read page by page, as TanStack Query gives it. */
export interface PagedState {
  hasNextPage: boolean
  isFetchingNextPage: boolean
  fetchNextPage: () => unknown
}

export interface LoadMoreProps extends Pick<ButtonProps, 'text' | 'size' | 'variant'> {
  query: PagedState
  /** Draws the button alone, without the box that centres it. */
  inline?: boolean
}

/** The button that reads a list's next page; nothing at the list's end. */
export function LoadMore({ query, inline = false, ...look }: LoadMoreProps) {
  if (!query.hasNextPage) return null
  const button = (
    <Button {...look} loading={query.isFetchingNextPage} onClick={() => void query.fetchNextPage()} />
  )
  return inline ? button : <div className={styles.more}>{button}</div>
}
