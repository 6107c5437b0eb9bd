import type { Iod } from '@iodine/contracts'
import { Button, Spinner, useDebouncedCallback } from '@iodine/ui'
import { useVirtualRows, VirtualTable } from '@iodine/ui/table'
import { useEffect, useMemo, useState } from 'react'
import { PAGE_SIZE } from '../queries/list'
import { useVote } from '../queries/vote'
import styles from './IodTable.module.css'
import { CARD_TEMPLATE, HEIGHTS, iodColumns } from './iod-columns'

const MIN_WIDTH = 832
const PAGE_AFTER_MS = 300
/** Number of rows before the last loaded one at which the next page is fetched. */
const READ_AHEAD_ROWS = 6

export interface IodTableProps {
  iods: Iod[]
  /** The searched text, marked in the rows; may be empty. */
  q: string
  /** Null if it is not known exactly. */
  total: number | null
  /** The page in the URL, from 1. */
  page: number
  /** The page to scroll to on mount. */
  startPage: number
  onPageChange: (page: number) => void
  hasMore: boolean
  isFetching: boolean
  /** Whether the rows belong to the previous filters. */
  isOutdated: boolean
  hasFailed: boolean
  fetchMore: () => void
}

/** A virtualized table that fetches the next page near the end of the loaded rows. */
export function IodTable(props: IodTableProps) {
  const {
    iods,
    q,
    total,
    page,
    startPage,
    onPageChange,
    hasMore,
    isFetching,
    isOutdated,
    hasFailed,
    fetchMore,
  } = props
  const vote = useVote()
  const columns = useMemo(() => iodColumns(q, vote), [q, vote])
  const rows = useVirtualRows(iods, HEIGHTS)
  const { to, rowHeight, offset, scrollTo } = rows

  // A link to a later page: all pages up to it are fetched by their cursors, then the table scrolls to it.
  const [target, setTarget] = useState(startPage > 1 ? startPage : null)
  const targetRow = target === null ? 0 : (target - 1) * PAGE_SIZE
  const mayFetch = hasMore && !isFetching && !hasFailed
  useEffect(() => {
    if (target === null || isOutdated) return
    if (iods.length <= targetRow && mayFetch) fetchMore()
    if (iods.length > targetRow || !hasMore || hasFailed) {
      scrollTo(Math.min(targetRow, iods.length - 1))
      setTarget(null)
    }
  }, [target, targetRow, isOutdated, iods.length, mayFetch, hasMore, hasFailed, fetchMore, scrollTo])

  useEffect(() => {
    if (mayFetch && !isOutdated && to >= iods.length - READ_AHEAD_ROWS) fetchMore()
  }, [mayFetch, isOutdated, to, iods.length, fetchMore])

  const shownPage = Math.floor(offset / rowHeight / PAGE_SIZE) + 1
  const changePageSoon = useDebouncedCallback(onPageChange, PAGE_AFTER_MS)
  useEffect(() => {
    if (target !== null || isOutdated || shownPage === page) changePageSoon.cancel()
    else changePageSoon(shownPage)
  }, [target, isOutdated, shownPage, page, changePageSoon])

  return (
    <VirtualTable
      rows={rows}
      label="IODs"
      columns={columns}
      minWidth={MIN_WIDTH}
      cardTemplate={CARD_TEMPLATE}
      total={total}
      isBusy={isFetching}
      isOutdated={isOutdated}
      footer={
        hasMore && (
          <div className={styles.more}>
            {hasFailed ? (
              <>
                More IODs could not be loaded. <Button size="small" text="Retry" onClick={fetchMore} />
              </>
            ) : (
              <>
                <Spinner size={16} aria-hidden /> Loading...
              </>
            )}
          </div>
        )
      }
    />
  )
}
