import type { Iod } from '@iodine/contracts'
import { Button, HTMLTable, Spinner } from '@iodine/ui'
import { useVirtualizer } from '@tanstack/react-virtual'
import { useEffect, useRef, useState } from 'react'
import { PAGE_SIZE } from '../queries/list'
import { useVote } from '../queries/vote'
import { IodRow } from './IodRow'
import styles from './IodTable.module.css'

const ROW_HEIGHT = 64
const OVERSCAN_ROWS = 6
const PAGE_AFTER_MS = 300

const COLUMNS = ['Value', 'Category', 'Source', 'Votes', 'Created By', 'Activity', 'Actions'] as const

export interface IodTableProps {
  iods: Iod[]
  total: number
  /** The page that the address says, from 1. */
  page: number
  /** The page to scroll to when the table appears. */
  startPage: number
  onPageChange: (page: number) => void
  hasMore: boolean
  isFetching: boolean
  /** The rows are those of the filters before. */
  isOutdated: boolean
  hasFailed: boolean
  fetchMore: () => void
}

/** The rows in sight of a list that may be very long; more are read as the end comes near. */
export function IodTable(props: IodTableProps) {
  const {
    iods,
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
  const frame = useRef<HTMLElement>(null)
  const vote = useVote()
  const virtualizer = useVirtualizer<HTMLElement, HTMLTableRowElement>({
    count: iods.length,
    getScrollElement: () => frame.current,
    estimateSize: () => ROW_HEIGHT,
    overscan: OVERSCAN_ROWS,
    getItemKey: index => iods[index]?.id ?? index,
  })
  const rows = virtualizer.getVirtualItems()
  const first = rows[0]
  const last = rows.at(-1)

  // A link to a page further down: cursors are followed up to it, then it is scrolled to.
  const [target, setTarget] = useState(startPage > 1 ? startPage : null)
  const targetRow = target === null ? 0 : (target - 1) * PAGE_SIZE
  const mayFetch = hasMore && !isFetching && !hasFailed
  useEffect(() => {
    if (target === null || isOutdated) return
    if (iods.length <= targetRow && mayFetch) fetchMore()
    if (iods.length > targetRow || !hasMore || hasFailed) {
      virtualizer.scrollToIndex(Math.min(targetRow, iods.length - 1), { align: 'start' })
      setTarget(null)
    }
  }, [target, targetRow, isOutdated, iods.length, mayFetch, hasMore, hasFailed, fetchMore, virtualizer])

  const lastIndex = last?.index ?? -1
  useEffect(() => {
    if (mayFetch && !isOutdated && lastIndex >= iods.length - 1 - OVERSCAN_ROWS) fetchMore()
  }, [mayFetch, isOutdated, lastIndex, iods.length, fetchMore])

  const topRow = Math.floor((virtualizer.scrollOffset ?? 0) / ROW_HEIGHT)
  const shownPage = Math.floor(topRow / PAGE_SIZE) + 1
  useEffect(() => {
    if (target !== null || isOutdated || shownPage === page) return
    const timer = setTimeout(() => onPageChange(shownPage), PAGE_AFTER_MS)
    return () => clearTimeout(timer)
  }, [target, isOutdated, shownPage, page, onPageChange])

  return (
    // biome-ignore lint/a11y/noNoninteractiveTabindex: without the focus the keyboard can't scroll the frame
    <section ref={frame} className={styles.frame} aria-label="IODs" aria-busy={isFetching} tabIndex={0}>
      <HTMLTable
        className={isOutdated ? `${styles.table} ${styles.outdated}` : styles.table}
        aria-rowcount={total + 1}
      >
        <thead>
          <tr aria-rowindex={1}>
            {COLUMNS.map(column => (
              <th key={column} scope="col" className={styles[column.replace(' ', '')]}>
                {column}
              </th>
            ))}
          </tr>
        </thead>
        <tbody>
          <Spacer height={first?.start ?? 0} />
          {rows.map(({ index, key }) => {
            const iod = iods[index]
            return iod && <IodRow key={key} iod={iod} rowIndex={index + 2} onVote={vote} />
          })}
          <Spacer height={virtualizer.getTotalSize() - (last?.end ?? 0)} />
        </tbody>
      </HTMLTable>
      {hasMore && (
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
      )}
    </section>
  )
}

function Spacer({ height }: { height: number }) {
  return height > 0 ? (
    <tr aria-hidden className={styles.spacer}>
      <td colSpan={COLUMNS.length} style={{ height }} />
    </tr>
  ) : null
}
