import { HTMLTable } from '@blueprintjs/core'
import { useVirtualizer } from '@tanstack/react-virtual'
import { type ReactElement, type ReactNode, type Ref, useCallback, useRef } from 'react'
import styles from './VirtualTable.module.css'

const OVERSCAN_ROWS = 6

export interface VirtualRows<T> {
  items: readonly T[]
  /** In pixels; every row has it. */
  rowHeight: number
  frame: Ref<HTMLElement>
  /** The items in sight and somewhat around, from the first index to before the last. */
  from: number
  to: number
  /** How far down the table is scrolled, in pixels. */
  offset: number
  /** Scrolls an item to the top of the frame. */
  scrollTo: (index: number) => void
}

/** Which of a table's rows are to be drawn, by how far it is scrolled. */
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
  /** How many items there are, if more than have been read. */
  total?: number
  isBusy?: boolean
  /** The rows are not those asked for any more. */
  isOutdated?: boolean
  /** A row of the table, `tr`; its index counts from the head's 1 and belongs into `aria-rowindex`. */
  children: (item: T, rowIndex: number) => ReactElement
  /** Stands below the last row. */
  footer?: ReactNode
}

/** A table in a frame of its own, drawn as far as it is in sight: it may be very long. */
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
    // biome-ignore lint/a11y/noNoninteractiveTabindex: without the focus the keyboard can't scroll the frame
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
