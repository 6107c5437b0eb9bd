// biome-ignore-all lint/a11y/noRedundantRoles: Safari takes a table laid out as cards for plain text without them
import { HTMLTable } from '@blueprintjs/core'
import { type ComponentProps, type CSSProperties, memo, type ReactNode, type Ref } from 'react'
import styles from './Table.module.css'

export interface Column<T> {
  name: string
  /** In pixels; columns without a width share the remaining space. */
  width?: number
  /** Numbers are aligned to the right. */
  isNumber?: boolean
  /** The area of `cardTemplate` that contains the cell on a card. */
  area?: string
  /** Whether a card shows the column's name above the cell; by default if the cell has no `area`. */
  isNamed?: boolean
  /** Renders the content of a cell. */
  cell: (item: T) => ReactNode
}

interface FrameProps<T> {
  label: string
  columns: readonly Column<T>[]
  /** In pixels; a narrower frame scrolls horizontally, unless rows are cards. */
  minWidth: number
  /** CSS `grid-template` of a card; two equal columns without it. */
  cardTemplate?: string
  isBusy?: boolean | undefined
}

export interface TableProps<T> extends FrameProps<T> {
  items: readonly T[]
}

/** A table for short lists. In windows narrower than 900 px each row is a card. */
export function Table<T extends { id: string }>({ items, ...frame }: TableProps<T>) {
  return (
    <TableFrame {...frame} rowCount={items.length}>
      {items.map((item, index) => (
        <TableRow key={item.id} item={item} columns={frame.columns} rowIndex={index + 2} />
      ))}
    </TableFrame>
  )
}

interface TableFrameProps<T> extends FrameProps<T> {
  frame?: Ref<HTMLElement>
  frameProps?: Pick<ComponentProps<'section'>, 'tabIndex' | 'onFocus' | 'onBlur' | 'onKeyDown'>
  /** Height of the rows in pixels, if all have the same. */
  rowHeight?: number
  /** Number of all rows without the header; null if it is unknown. */
  rowCount: number | null
  isOutdated?: boolean | undefined
  children: ReactNode
  footer?: ReactNode
}

/** The scrolling frame and the header of a table. */
export function TableFrame<T>(props: TableFrameProps<T>) {
  const { frame, frameProps, label, rowHeight, rowCount, isBusy, isOutdated, children, footer } = props
  return (
    <section
      ref={frame}
      className={rowHeight ? `${styles.frame} ${styles.virtual}` : styles.frame}
      aria-label={label}
      aria-busy={isBusy}
      // biome-ignore lint/a11y/noNoninteractiveTabindex: the keyboard scrolls the frame only when it has the focus
      tabIndex={0}
      {...frameProps}
    >
      <HTMLTable
        className={isOutdated ? `${styles.table} ${styles.outdated}` : styles.table}
        style={tableStyle(props)}
        role="table"
        aria-rowcount={rowCount === null ? -1 : rowCount + 1}
      >
        <TableHead columns={props.columns} />
        <tbody role="rowgroup">{children}</tbody>
      </HTMLTable>
      {footer}
    </section>
  )
}

const CARD_GAP = 8

/** The sizes of a table as CSS variables. */
export const tableStyle = (sizes: {
  rowHeight?: number
  minWidth?: number
  cardTemplate?: string
}): CSSProperties => {
  const { rowHeight, minWidth, cardTemplate } = sizes
  const variables = {
    ...(rowHeight && { '--row-height': `${rowHeight}px`, '--card-height': `${rowHeight - CARD_GAP}px` }),
    ...(minWidth && { '--min-width': `${minWidth}px` }),
    ...(cardTemplate && { '--card-template': cardTemplate }),
  }
  return variables as CSSProperties
}

export function TableHead<T>({ columns }: { columns: readonly Column<T>[] }) {
  return (
    <thead role="rowgroup">
      <tr role="row" aria-rowindex={1}>
        {columns.map(({ name, width, isNumber }) => (
          <th
            key={name}
            role="columnheader"
            scope="col"
            className={isNumber ? styles.number : undefined}
            style={{ width }}
          >
            {name}
          </th>
        ))}
      </tr>
    </thead>
  )
}

interface TableRowProps<T> {
  item: T
  columns: readonly Column<T>[]
  /** Row number for `aria-rowindex`; the header row is 1. */
  rowIndex: number
  tabIndex?: number
  isSelected?: boolean | undefined
}

/** A memoized row. */
export const TableRow = memo(function TableRow<T>({
  item,
  columns,
  rowIndex,
  tabIndex,
  isSelected,
}: TableRowProps<T>) {
  return (
    <tr role="row" aria-rowindex={rowIndex} tabIndex={tabIndex} data-selected={isSelected || undefined}>
      {columns.map(({ name, isNumber, area, isNamed = area === undefined, cell }) => (
        <td
          key={name}
          role="cell"
          className={isNumber ? styles.number : undefined}
          style={{ gridArea: area }}
          data-name={isNamed ? name : undefined}
        >
          {cell(item)}
        </td>
      ))}
    </tr>
  )
}) as <T>(props: TableRowProps<T>) => ReactNode
