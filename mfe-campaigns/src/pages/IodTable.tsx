import { countVotes, type Iod } from '@iodine/contracts'
import { Button, CategoryTag, DateTime, Tag } from '@iodine/ui'
import { EyeOpenIcon, TrashIcon } from '@iodine/ui/icons'
import { type Column, useVirtualRows, VirtualTable } from '@iodine/ui/virtual-table'
import { memo, useState } from 'react'
import styles from './IodTable.module.css'

const ROW_HEIGHT = 56
const MIN_WIDTH = 952
const COLUMNS: readonly Column[] = [
  { name: 'Value' },
  { name: 'Category', width: 168 },
  { name: 'Source', width: 120 },
  { name: 'Created', width: 144 },
  { name: 'Votes', width: 96 },
  { name: 'Comments', width: 96 },
  { name: 'Actions', width: 96 },
]

export interface IodTableProps {
  iods: Iod[]
  onOpen: (iod: Iod) => void
  onRemove: (iodId: string) => Promise<void>
}

/** A virtualized table of a campaign's IODs. */
export function IodTable({ iods, onOpen, onRemove }: IodTableProps) {
  const rows = useVirtualRows(iods, ROW_HEIGHT)
  return (
    <VirtualTable rows={rows} label="IODs" columns={COLUMNS} minWidth={MIN_WIDTH}>
      {(iod, rowIndex) => (
        <Row key={iod.id} iod={iod} rowIndex={rowIndex} onOpen={onOpen} onRemove={onRemove} />
      )}
    </VirtualTable>
  )
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
    <tr aria-rowindex={rowIndex}>
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
          <DateTime value={iod.created_at} />
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
            className={styles.bin}
            variant="minimal"
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
