import { Button, formatCount } from '@iodine/ui'
import { useEffect, useState } from 'react'
import type { useSightings } from '../queries/search'
import styles from './OriginsPage.module.css'

export interface RemainingPagesProps {
  query: ReturnType<typeof useSightings>
  shown: number
  total: number
}

/** A button that loads the remaining pages one after another. */
export function RemainingPages({ query, shown, total }: RemainingPagesProps) {
  const { isFetching, more } = query
  const { hasNextPage, fetchNextPage } = more
  const isFetchNextPageError = Boolean(more.nextPageError)
  const [isRequested, setRequested] = useState(false)
  const isLoadingAll = isRequested && hasNextPage && !isFetchNextPageError
  useEffect(() => {
    if (isLoadingAll && !isFetching) void fetchNextPage()
  }, [isLoadingAll, isFetching, fetchNextPage])
  if (!hasNextPage) return null
  return (
    <div className={styles.rest} role="status">
      <span>
        The earliest {formatCount(shown)} of {formatCount(total)} posts are shown.
        {isFetchNextPageError && ' The others could not be loaded.'}
      </span>
      <Button
        size="small"
        text={isFetchNextPageError ? 'Try again' : 'Load all'}
        loading={isLoadingAll || (isFetching && isRequested)}
        onClick={() => {
          setRequested(true)
          if (isFetchNextPageError) void fetchNextPage()
        }}
      />
    </div>
  )
}
