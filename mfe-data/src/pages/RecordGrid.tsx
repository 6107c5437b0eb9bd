import type { CaptureSummary, Source } from '@iodine/contracts'
import { SOURCE_LABELS } from '@iodine/mfe-kit'
import { useSealedCaptures } from '@iodine/mfe-kit/evidence'
import { Card } from '@iodine/ui'
import { useWindowVirtualizer } from '@tanstack/react-virtual'
import { use, useEffect, useLayoutEffect, useMemo, useRef, useState } from 'react'
import type { Slot } from '../model/record-pages'
import { type Records, useShownRecords } from '../queries/records'
import { RecordCard, type RecordCardProps } from './RecordCard'
import styles from './RecordGrid.module.css'
import { RecordStates } from './RecordStates'
import { WantedRecords } from './record-context'

const COLUMN_MIN = 500
const GAP = 16
/** Estimated height of a card before it is measured, in pixels. */
const CARD_HEIGHT = { tiktok: 760, telegram: 480, blog: 900, post: 720 }
const OVERSCAN_ROWS = 1
const NO_CAPTURES: readonly CaptureSummary[] = []

export interface RecordGridProps extends Pick<RecordCardProps, 'onStartIod' | 'onDelete'> {
  source: Source
  records: Records
  slots: Slot[]
}

/** A virtualized grid of cards. The next page is fetched near the end of the list. */
export function RecordGrid(props: RecordGridProps) {
  const { source, slots } = props
  const { total = 0, hasMore, isFetching, fetchMore } = props.records
  const { term, analyzed } = use(WantedRecords)
  const feed = useRef<HTMLDivElement>(null)
  const { columns, top } = useGridMetrics(feed)
  const rowCount = Math.ceil(slots.length / columns)
  const virtualizer = useWindowVirtualizer<HTMLDivElement>({
    count: rowCount,
    estimateSize: () => CARD_HEIGHT[source],
    gap: GAP,
    overscan: OVERSCAN_ROWS,
    scrollMargin: top,
    getItemKey: row => slots[row * columns]?.id ?? row,
  })
  const rows = virtualizer.getVirtualItems()
  const lastRow = rows.at(-1)?.index ?? -1
  const [from, to] = [(rows[0]?.index ?? 0) * columns, (lastRow + 1) * columns]
  const { contents, error, retry } = useShownRecords({ source, term, analyzed }, slots.slice(from, to))
  const ids = useMemo(() => slots.map(({ id }) => id), [slots])
  const sealed = useSealedCaptures(ids, from, to)
  useEffect(() => {
    if (hasMore && lastRow >= rowCount - 1 - OVERSCAN_ROWS) fetchMore()
  }, [hasMore, lastRow, rowCount, fetchMore])
  return (
    <div
      ref={feed}
      className={styles.feed}
      role="feed"
      aria-label={SOURCE_LABELS[source]}
      aria-busy={isFetching}
      style={{ height: virtualizer.getTotalSize() }}
    >
      {rows.map(row => (
        <div
          key={row.key}
          ref={virtualizer.measureElement}
          data-index={row.index}
          className={styles.row}
          style={{ gridTemplateColumns: `repeat(${columns}, minmax(0, 1fr))`, top: row.start - top }}
        >
          {slots.slice(row.index * columns, (row.index + 1) * columns).map(({ id }, column) => {
            const record = contents.get(id)
            const position = row.index * columns + column + 1
            return record ? (
              <RecordCard
                key={id}
                source={source}
                record={record}
                position={position}
                total={total}
                captures={sealed.get(id) ?? NO_CAPTURES}
                onStartIod={props.onStartIod}
                onDelete={props.onDelete}
              />
            ) : (
              <WaitingCard
                key={id}
                height={row.size}
                position={position}
                total={total}
                error={error}
                onRetry={retry}
              />
            )
          })}
        </div>
      ))}
    </div>
  )
}

interface WaitingCardProps extends Pick<RecordCardProps, 'position' | 'total'> {
  height: number
  error: Error | null
  onRetry: () => void
}

/** Placeholder for a card whose contents are being refetched. It keeps the card's height, to avoid layout shifts. */
function WaitingCard({ height, position, total, error, onRetry }: WaitingCardProps) {
  return (
    <article
      className={styles.waiting}
      style={{ minHeight: height }}
      aria-label={error ? 'Failed to fetch data' : 'Loading...'}
      aria-busy={!error}
      aria-posinset={position}
      aria-setsize={total}
    >
      <Card className={styles.empty}>
        <RecordStates query={{ data: undefined, error, isFetching: false, refetch: onRetry }} />
      </Card>
    </article>
  )
}

/** Returns the number of columns that fit, and the distance from the top of the page to the feed, in pixels. */
function useGridMetrics(feed: { readonly current: HTMLElement | null }): { columns: number; top: number } {
  const [metrics, setMetrics] = useState({ columns: 1, top: 0 })
  useLayoutEffect(() => {
    const element = feed.current
    if (!element) return
    const measure = () => {
      const columns = Math.max(1, Math.floor((element.clientWidth + GAP) / (COLUMN_MIN + GAP)))
      const top = Math.round(element.getBoundingClientRect().top + window.scrollY)
      setMetrics(current => (current.columns === columns && current.top === top ? current : { columns, top }))
    }
    measure()
    const observer = new ResizeObserver(measure)
    observer.observe(element)
    // Elements above the feed may change their height without a change of the feed's size.
    observer.observe(document.body)
    return () => observer.disconnect()
  }, [feed])
  return metrics
}
