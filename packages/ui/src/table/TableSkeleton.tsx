import { Classes, HTMLTable } from '@blueprintjs/core'
import { useElapsed } from '../hooks/use-elapsed'
import { type Column, TableHead, tableStyle } from './Table'
import styles from './Table.module.css'
import { useCards } from './use-cards'

const SHOW_AFTER_MS = 150
const ROWS = 8

export interface TableSkeletonProps<T> {
  columns: readonly Column<T>[]
  /** In pixels; `card` is that of the cards in narrow windows. */
  heights: { row: number; card: number }
}

/** A table's header and blank rows, shown while the rows are loaded. Hidden from assistive technology. */
export function TableSkeleton<T>({ columns, heights }: TableSkeletonProps<T>) {
  const rowHeight = useCards() ? heights.card : heights.row
  if (!useElapsed(SHOW_AFTER_MS)) return null
  return (
    <div className={`${styles.frame} ${styles.skeleton}`} aria-hidden>
      <HTMLTable className={styles.table} style={tableStyle({ rowHeight })}>
        <TableHead columns={columns} />
        <tbody>
          {Array.from({ length: ROWS }, (_, row) => row).map(row => (
            <tr key={row}>
              {columns.map(({ name }) => (
                <td key={name}>
                  <div className={Classes.SKELETON} />
                </td>
              ))}
            </tr>
          ))}
        </tbody>
      </HTMLTable>
    </div>
  )
}
