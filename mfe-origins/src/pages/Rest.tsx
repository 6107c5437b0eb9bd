import { Button, formatCount } from '@iodine/ui'
import { useEffect, useState } from 'react'
import type { useSightings } from '../queries/search'
import styles from './OriginsPage.module.css'

export interface RestProps {
  query: ReturnType<typeof useSightings>
  shown: number
  total: number
}

/** Loads the pages after the first, one after the other, once the user asks for them. */
export function Rest({ query, shown, total }: RestProps) {
  const { isFetching, more } = query
  const { hasNextPage, fetchNextPage } = more
  const isFetchNextPageError = Boolean(more.nextPageError)
  const [wanted, setWanted] = useState(false)
  const goesOn = wanted && hasNextPage && !isFetchNextPageError
  useEffect(() => {
    if (goesOn && !isFetching) void fetchNextPage()
  }, [goesOn, isFetching, fetchNextPage])
  if (!hasNextPage) return null
  return (
    <div className={styles.rest} role="status">
      <span>
        The earliest {formatCount(shown)} of {formatCount(total)} sightings are shown.
        {isFetchNextPageError && ' The others could not be loaded.'}
      </span>
      <Button
        size="small"
        text={isFetchNextPageError ? 'Try again' : 'Load all'}
        loading={goesOn || (isFetching && wanted)}
        onClick={() => {
          setWanted(true)
          if (isFetchNextPageError) void fetchNextPage()
        }}
      />
    </div>
  )
}
