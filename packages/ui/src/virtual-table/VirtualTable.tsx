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
  /** Range of items to draw (in view, plus overscan): `from` inclusive, `to` exclusive. */
  from: number
  to: number
  /** Vertical scroll offset, in pixels. */
  offset: number
  /** Scrolls an item to the top of the frame. */
  scrollTo: (index: number) => void
}

/** The range of rows to draw at the current scroll position. */
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
  /** In pixels; columns without a width share the remaining space. */
  width?: number
}

export interface VirtualTableProps<T> {
  rows: VirtualRows<T>
  label: string
  columns: readonly Column[]
  /** In pixels; a narrower frame scrolls horizontally. */
  minWidth: number
  /** Number of all items, if only a part of them has been read; null if it is unknown. */
  total?: number | null
  isBusy?: boolean
  /** Whether the rows belong to a previous request. */
  isOutdated?: boolean
  /** Renders an item as a `tr`. `rowIndex` is for `aria-rowindex`; the header row is 1. */
  children: (item: T, rowIndex: number) => ReactElement
  /** Shown below the last row. */
  footer?: ReactNode
}

/** A virtualized table for very long lists: a scrolling frame that renders only the rows in view. */
export function VirtualTable<T extends { id: string }>(props: VirtualTableProps<T>) {
  const { rows, label, columns, minWidth, isBusy, isOutdated, children, footer } = props
  const { items, from, to, rowHeight } = rows
  const { total = items.length } = props
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
        aria-rowcount={total === null ? -1 : total + 1}
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
