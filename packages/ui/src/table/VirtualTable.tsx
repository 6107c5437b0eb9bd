import { useVirtualizer } from '@tanstack/react-virtual'
import {
  type FocusEvent,
  type KeyboardEventHandler,
  type ReactNode,
  type RefObject,
  useCallback,
  useLayoutEffect,
  useRef,
} from 'react'
import { type Gap, GapRow, isGap } from './GapRow'
import { type Column, TableFrame, TableRow } from './Table'
import styles from './Table.module.css'
import { useCards } from './use-cards'

const OVERSCAN_ROWS = 6

export interface VirtualRows<T> {
  items: readonly (T | Gap)[]
  /** Height of every row at the current width of the window, in pixels. */
  rowHeight: number
  frame: RefObject<HTMLElement | null>
  /** Range of items to render (in view, plus overscan): `from` inclusive, `to` exclusive. */
  from: number
  to: number
  /** Vertical scroll offset, in pixels. */
  offset: number
  /** Scrolls an item to the top of the frame. */
  scrollTo: (index: number) => void
}

/** Returns the range of rows to render at the current scroll position. Heights are in pixels. */
export function useVirtualRows<T extends { id: string }>(
  items: readonly (T | Gap)[],
  heights: { row: number; card: number },
): VirtualRows<T> {
  const rowHeight = useCards() ? heights.card : heights.row
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
  const offset = virtualizer.scrollOffset ?? 0
  const place = useRef({ rowHeight, top: 0 })
  // Keeps the top row when rows become cards or cards become rows.
  useLayoutEffect(() => {
    if (place.current.rowHeight !== rowHeight) {
      virtualizer.measure()
      if (place.current.top > 0) scrollTo(place.current.top)
    }
    place.current = { rowHeight, top: Math.floor(offset / rowHeight) }
  }, [rowHeight, offset, virtualizer, scrollTo])
  const drawn = virtualizer.getVirtualItems()
  return {
    items,
    rowHeight,
    frame,
    from: drawn[0]?.index ?? 0,
    to: (drawn.at(-1)?.index ?? -1) + 1,
    offset,
    scrollTo,
  }
}

/** The roving Tab stop of a table and the functions that move it. */
export interface RowFocus {
  /** Index of the row that is the table's Tab stop. */
  index: number
  /** Returns the index of the row that contains the focus; -1 if none. */
  focused: () => number
  /** Moves the focus by `step` rows; focuses the first row in view if no row has had the focus. */
  move: (step: number) => void
  /** Focuses the next (1) or previous (-1) control of the focused row. The row itself precedes its first control. */
  moveInRow: (step: 1 | -1) => void
  /** For `VirtualTable`. */
  onFocus: (event: FocusEvent) => void
  onBlur: (event: FocusEvent) => void
}

/** A column that has an area on cards: their height is fixed. */
export interface CardColumn<T> extends Column<T> {
  area: string
}

export interface VirtualTableProps<T> {
  rows: VirtualRows<T>
  label: string
  columns: readonly CardColumn<T>[]
  /** In pixels; a narrower frame scrolls horizontally, unless rows are cards. */
  minWidth: number
  /** CSS `grid-template` of a card, made of the columns' areas. */
  cardTemplate: string
  /** Number of all items, if only some are loaded; null if it is unknown. */
  total?: number | null
  isBusy?: boolean
  /** Whether the rows belong to a previous request. */
  isOutdated?: boolean
  /** Makes the rows one Tab stop; see `useRowFocus`. */
  focus?: RowFocus
  /** Ids of the selected rows. */
  selected?: { has: (id: string) => boolean }
  /** Handles keys pressed in the table. */
  onKeyDown?: KeyboardEventHandler<HTMLElement>
  /** Shown below the last row. */
  footer?: ReactNode
}

/**
 * A virtualized table for very long lists: a scrolling frame that renders only the rows in view. In windows
 * narrower than 900 px each row is a card.
 */
export function VirtualTable<T extends { id: string }>({
  rows,
  total,
  focus,
  selected,
  onKeyDown,
  ...frame
}: VirtualTableProps<T>) {
  const { items, from, to, rowHeight } = rows
  const { columns } = frame
  const spacer = (count: number) =>
    count > 0 ? (
      <tr aria-hidden className={styles.spacer}>
        <td colSpan={columns.length} style={{ height: count * rowHeight }} />
      </tr>
    ) : null
  return (
    <TableFrame
      {...frame}
      frame={rows.frame}
      rowHeight={rowHeight}
      rowCount={total === undefined ? items.length : total}
      frameProps={{
        onKeyDown,
        ...(focus && {
          onFocus: focus.onFocus,
          onBlur: focus.onBlur,
          tabIndex: focus.index >= from && focus.index < to ? -1 : 0,
        }),
      }}
    >
      {spacer(from)}
      {items
        .slice(from, to)
        .map((item, index) =>
          isGap(item) ? (
            <GapRow key={item.id} gap={item} columns={columns.length} />
          ) : (
            <TableRow
              key={item.id}
              item={item}
              columns={columns}
              rowIndex={from + index + 2}
              {...(focus && { tabIndex: from + index === focus.index ? 0 : -1 })}
              isSelected={selected?.has(item.id)}
            />
          ),
        )}
      {spacer(items.length - to)}
    </TableFrame>
  )
}
