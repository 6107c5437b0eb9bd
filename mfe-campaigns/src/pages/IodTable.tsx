import type { Iod } from '@iodine/contracts'
import { Button, CategoryTag, HTMLTable, RelativeTime, Tag } from '@iodine/ui'
import { EyeOpenIcon, TrashIcon } from '@iodine/ui/icons'
import { useVirtualizer } from '@tanstack/react-virtual'
import { memo, useRef, useState } from 'react'
import { countVotes } from '../model/iods'
import styles from './IodTable.module.css'

const ROW_HEIGHT = 56
const OVERSCAN_ROWS = 6
const COLUMNS = ['Value', 'Category', 'Source', 'Created', 'Votes', 'Comments', 'Actions'] as const

export interface IodTableProps {
  iods: Iod[]
  onOpen: (iod: Iod) => void
  onRemove: (iodId: string) => Promise<void>
}

/** A campaign's IODs, drawn as far as they are in sight. */
export function IodTable({ iods, onOpen, onRemove }: IodTableProps) {
  const frame = useRef<HTMLElement>(null)
  const virtualizer = useVirtualizer<HTMLElement, HTMLTableRowElement>({
    count: iods.length,
    getScrollElement: () => frame.current,
    estimateSize: () => ROW_HEIGHT,
    overscan: OVERSCAN_ROWS,
    getItemKey: index => iods[index]?.id ?? index,
  })
  const rows = virtualizer.getVirtualItems()
  return (
    // biome-ignore lint/a11y/noNoninteractiveTabindex: without the focus the keyboard can't scroll the frame
    <section ref={frame} className={styles.frame} aria-label="IODs" tabIndex={0}>
      <HTMLTable className={styles.table} aria-rowcount={iods.length + 1}>
        <thead>
          <tr aria-rowindex={1}>
            {COLUMNS.map(column => (
              <th key={column} scope="col" className={styles[column]}>
                {column}
              </th>
            ))}
          </tr>
        </thead>
        <tbody>
          <Spacer height={rows[0]?.start ?? 0} />
          {rows.map(({ index, key }) => {
            const iod = iods[index]
            return iod && <Row key={key} iod={iod} rowIndex={index + 2} onOpen={onOpen} onRemove={onRemove} />
          })}
          <Spacer height={virtualizer.getTotalSize() - (rows.at(-1)?.end ?? 0)} />
        </tbody>
      </HTMLTable>
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

interface RowProps extends Pick<IodTableProps, 'onOpen' | 'onRemove'> {
  iod: Iod
  rowIndex: number
}

const Row = memo(function Row({ iod, rowIndex, onOpen, onRemove }: RowProps) {
  const [removing, setRemoving] = useState(false)
  const { positive, negative } = countVotes(iod)
  const remove = async () => {
    setRemoving(true)
    await onRemove(iod.id)
    setRemoving(false)
  }
  return (
    <tr className={styles.row} aria-rowindex={rowIndex}>
      <td>
        <span className={styles.value} dir="auto" title={iod.value}>
          {iod.value}
        </span>
      </td>
      <td>
        <CategoryTag category={iod.category} />
      </td>
      <td>
        <Tag minimal multiline>
          {iod.source_type}
        </Tag>
      </td>
      <td>
        <div>
          <RelativeTime value={iod.created_at} />
        </div>
        <div className={styles.meta}>by {iod.created_by_username ?? 'Unknown'}</div>
      </td>
      <td>
        <span className={styles.votes} role="img" aria-label={`${positive} positive, ${negative} negative`}>
          <span className={styles.positive}>+{positive}</span>
          <span className={styles.negative}>−{negative}</span>
        </span>
      </td>
      <td>{iod.comments.length}</td>
      <td>
        <div className={styles.actions}>
          <Button
            variant="minimal"
            icon={<EyeOpenIcon />}
            aria-label="View details"
            title="View details"
            onClick={() => onOpen(iod)}
          />
          <Button
            variant="minimal"
            intent="danger"
            icon={<TrashIcon />}
            aria-label="Remove from campaign"
            title="Remove from campaign"
            loading={removing}
            onClick={remove}
          />
        </div>
      </td>
    </tr>
  )
})
