import type { Sighting } from '@iodine/contracts'
import { Button, SourceLink } from '@iodine/ui'
import { type CardColumn, useVirtualRows, VirtualTable } from '@iodine/ui/table'
import { type Ref, useImperativeHandle, useMemo } from 'react'
import { boundedTime, nameOf, type SearchResult, SOURCE_LABELS, timeNote } from '../model/sightings'
import { Marks } from './SightingCard'
import styles from './SightingTable.module.css'

const HEIGHTS = { row: 64, card: 208 }
const CARD = '"time time" "account account" "text text" "marks marks" "address address" / 1fr 1fr'

export interface SightingTableHandle {
  scrollTo: (id: string) => void
}

export interface SightingTableProps {
  found: SearchResult
  selected: string | null
  onSelect: (id: string) => void
  ref?: Ref<SightingTableHandle>
}

/** The occurrences of the timeline as a table, the earliest first. */
export function SightingTable({ found, selected, onSelect, ref }: SightingTableProps) {
  const { items } = found
  const rows = useVirtualRows(items, HEIGHTS)
  const { scrollTo } = rows
  useImperativeHandle(
    ref,
    () => ({
      scrollTo: id => {
        const index = items.findIndex(item => item.id === id)
        if (index >= 0) scrollTo(index)
      },
    }),
    [items, scrollTo],
  )
  const columns = useMemo(() => columnsOf(onSelect), [onSelect])
  return (
    <div className={styles.frame}>
      <VirtualTable
        rows={rows}
        label="Posts"
        columns={columns}
        minWidth={960}
        cardTemplate={CARD}
        selected={{ has: id => id === selected }}
      />
    </div>
  )
}

const columnsOf = (onSelect: (id: string) => void): CardColumn<Sighting>[] => [
  {
    name: 'Time',
    width: 216,
    area: 'time',
    cell: sighting => (
      <div className={styles.cell}>
        <Button
          className={styles.time ?? ''}
          variant="minimal"
          size="small"
          text={<time dateTime={sighting.at}>{boundedTime(sighting)}</time>}
          onClick={() => onSelect(sighting.id)}
        />
        <span className={styles.meta}>{timeNote(sighting)}</span>
      </div>
    ),
  },
  {
    name: 'Account',
    width: 180,
    area: 'account',
    cell: sighting => (
      <div className={styles.cell}>
        <bdi title={nameOf(sighting)} className={styles.line}>
          {nameOf(sighting)}
        </bdi>
        <span className={styles.meta}>{SOURCE_LABELS[sighting.source]}</span>
      </div>
    ),
  },
  {
    name: 'Text',
    area: 'text',
    cell: ({ excerpt }) => (
      <span className={styles.text} dir="auto">
        {excerpt}
      </span>
    ),
  },
  {
    name: 'Match',
    width: 220,
    area: 'marks',
    cell: sighting => (
      <div className={styles.cell}>
        <Marks sighting={sighting} />
      </div>
    ),
  },
  {
    name: 'URL',
    width: 180,
    area: 'address',
    cell: ({ url, own, shared_by }) => (
      <div className={styles.cell}>
        <span className={styles.line}>{url && <SourceLink source={url} />}</span>
        {!own && (
          <span className={styles.meta}>shared by {shared_by ? `@${shared_by}` : 'an anonymous member'}</span>
        )}
      </div>
    ),
  },
]
