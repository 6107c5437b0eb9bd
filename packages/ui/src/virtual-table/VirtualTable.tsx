import { HTMLTable } from '@blueprintjs/core'
import { useVirtualizer } from '@tanstack/react-virtual'
import { type ReactElement, type ReactNode, type Ref, useCallback, useRef } from 'react'
import styles from './VirtualTable.module.css'

const OVERSCAN_ROWS = 6

export interface VirtualRows<T> {
  items: readonly T[]
  /** Height of every row, in pixels. */
  rowHeight: number
  frame: Ref<HTMLElement>
  /** The items to draw, in sight and a few around: from index `from` to before `to`. */
  from: number
  to: number
  /** How far down the table is scrolled, in pixels. */
  offset: number
  /** Scrolls an item to the top of the frame. */
  scrollTo: (index: number) => void
}

/** The rows of a table to draw, by its scroll position. */
export function useVirtualRows<T extends { id: string }>(
  items: readonly T[],
  rowHeight: number,
): VirtualRows<T> {
  const frame = useRef<HTMLElement>(null)
  const virtualizer = useVirtualizer<HTMLElement, HTMLTableRowElement>({
    count: items.length,
    getScrollElement: () => frame.current,
    estimateSize: () => rowHeight,
    overscan: OVERSCAN_ROWS,
    getItemKey: index => items[index]?.id ?? index,
  })
  const scrollTo = useCallback(
    (index: number) => virtualizer.scrollToIndex(index, { align: 'start' }),
    [virtualizer],
  )
  const drawn = virtualizer.getVirtualItems()
  return {
    items,
    rowHeight,
    frame,
    from: drawn[0]?.index ?? 0,
    to: (drawn.at(-1)?.index ?? -1) + 1,
    offset: virtualizer.scrollOffset ?? 0,
    scrollTo,
  }
}

export interface Column {
  name: string
  /** In pixels; columns without one share what is left. */
  width?: number
}

export interface VirtualTableProps<T> {
  rows: VirtualRows<T>
  label: string
  columns: readonly Column[]
  /** In pixels; a narrower frame scrolls sideways. */
  minWidth: number
  /** The number of all items, where more exist than were read. */
  total?: number
  isBusy?: boolean
  /** The rows are those of a previous request. */
  isOutdated?: boolean
  /** Draws an item as a `tr`. `rowIndex` belongs into `aria-rowindex`; the head is row 1. */
  children: (item: T, rowIndex: number) => ReactElement
  /** Stands below the last row. */
  footer?: ReactNode
}

/** A table in a scrolling frame that draws only the rows in sight, for very long lists. */
export function VirtualTable<T extends { id: string }>(props: VirtualTableProps<T>) {
  const { rows, label, columns, minWidth, isBusy, isOutdated, children, footer } = props
  const { items, from, to, rowHeight } = rows
  const spacer = (count: number) =>
    count > 0 ? (
      <tr aria-hidden className={styles.spacer}>
        <td colSpan={columns.length} style={{ height: count * rowHeight }} />
      </tr>
    ) : null
  return (
    // biome-ignore lint/a11y/noNoninteractiveTabindex: the keyboard scrolls the frame only when it has the focus
    <section ref={rows.frame} className={styles.frame} aria-label={label} aria-busy={isBusy} tabIndex={0}>
      <HTMLTable
        className={isOutdated ? `${styles.table} ${styles.outdated}` : styles.table}
        style={{ minWidth, ['--row-height' as string]: `${rowHeight}px` }}
        aria-rowcount={(props.total ?? items.length) + 1}
      >
        <thead>
          <tr aria-rowindex={1}>
            {columns.map(({ name, width }) => (
              <th key={name} scope="col" style={{ width }}>
                {name}
              </th>
            ))}
          </tr>
        </thead>
        <tbody>
          {spacer(from)}
          {items.slice(from, to).map((item, index) => children(item, from + index + 2))}
          {spacer(items.length - to)}
        </tbody>
      </HTMLTable>
      {footer}
    </section>
  )
}
