import { countVotes, type Iod } from '@iodine/contracts'
import {
  ConsensusContext,
  ConsensusMark,
  useListConsensus,
  useListedConsensus,
} from '@iodine/mfe-kit/consensus'
import { useMutation } from '@iodine/mfe-kit/query'
import { Button, CategoryTag, DateTime, type Place, Tag, useLatest, withPlaces } from '@iodine/ui'
import { EyeOpenIcon, TrashIcon } from '@iodine/ui/icons'
import { type CardColumn, type Gap, useVirtualRows, VirtualTable } from '@iodine/ui/table'
import { useCallback, useMemo, useState } from 'react'
import styles from './IodTable.module.css'

/** Heights of rows and cards, in pixels. */
export const HEIGHTS = { row: 48, card: 196 }
const MIN_WIDTH = 800
const CARD_TEMPLATE =
  '"value value value" 1fr "category category created" auto "source source source" auto "votes comments actions" auto / 80px minmax(0, 1fr) auto'

export interface IodTableProps {
  iods: Iod[]
  onOpen: (iod: Iod) => void
  onRemove: (iodId: string) => Promise<unknown>
}

export const memberColumns = ({ onOpen, onRemove }: Omit<IodTableProps, 'iods'>): CardColumn<Iod>[] => [
  {
    name: 'Value',
    area: 'value',
    cell: ({ value }) => (
      <span className={styles.value} dir="auto" title={value}>
        {value}
      </span>
    ),
  },
  {
    name: 'Category',
    width: 108,
    area: 'category',
    cell: ({ category }) => <CategoryTag category={category} />,
  },
  {
    name: 'Source',
    width: 100,
    area: 'source',
    cell: ({ source_type }) => (
      <Tag minimal multiline>
        {source_type}
      </Tag>
    ),
  },
  {
    name: 'Created',
    width: 112,
    area: 'created',
    cell: ({ created_at, created_by_username }) => (
      <div className={styles.created}>
        <DateTime value={created_at} />
        <div className={styles.meta} title={created_by_username ?? undefined}>
          by {created_by_username ?? 'Unknown'}
        </div>
      </div>
    ),
  },
  { name: 'Votes', width: 112, area: 'votes', cell: iod => <Votes iod={iod} /> },
  {
    name: 'Comments',
    width: 88,
    area: 'comments',
    isNumber: true,
    isNamed: true,
    cell: ({ comments }) => comments.length,
  },
  {
    name: 'Actions',
    width: 80,
    area: 'actions',
    cell: iod => <Actions iod={iod} onOpen={onOpen} onRemove={onRemove} />,
  },
]

/** A virtualized table of a campaign's IODs. */
export function IodTable({ iods, onOpen, onRemove }: IodTableProps) {
  const { shown, remove } = useGaps(iods, onRemove)
  const columns = useMemo(() => memberColumns({ onOpen, onRemove: remove }), [onOpen, remove])
  const rows = useVirtualRows(shown, HEIGHTS)
  const ids = useMemo(() => shown.map(({ id }) => id), [shown])
  const consensus = useListConsensus(ids, rows.from, rows.to)
  return (
    <ConsensusContext value={consensus}>
      <VirtualTable
        rows={rows}
        label="IODs"
        columns={columns}
        minWidth={MIN_WIDTH}
        cardTemplate={CARD_TEMPLATE}
      />
    </ConsensusContext>
  )
}

/** Returns the rows, with placeholders of recently removed ones. */
function useGaps(iods: Iod[], onRemove: IodTableProps['onRemove']) {
  const [places, setPlaces] = useState<readonly Place[]>([])
  const shown = useMemo(() => {
    // An IOD that is still or again a member has its row and needs no placeholder.
    const members = new Set(iods.map(({ id }) => id))
    return withPlaces(
      iods,
      places.filter(({ id }) => !members.has(id)),
    ).map(
      ({ item, place }): Iod | Gap =>
        item ?? {
          id: place.id,
          gap: 'Removed',
          onLeave: () => setPlaces(all => all.filter(other => other !== place)),
        },
    )
  }, [iods, places])
  const latest = useLatest(shown)
  const remove = useCallback(
    async (id: string) => {
      const index = latest.current.findIndex(row => row.id === id)
      setPlaces(all => [...all.filter(other => other.id !== id), { id, index }])
      await onRemove(id)
    },
    [latest, onRemove],
  )
  return { shown, remove }
}

function Votes({ iod }: { iod: Iod }) {
  const { positive, negative } = countVotes(iod)
  return (
    <div>
      <span className={styles.votes} role="img" aria-label={`${positive} positive, ${negative} negative`}>
        <span className={styles.positive}>+{positive}</span>
        <span className={styles.negative}>−{negative}</span>
      </span>
      <ConsensusMark votes={iod.votes.length} consensus={useListedConsensus(iod.id)} />
    </div>
  )
}

function Actions({ iod, onOpen, onRemove }: { iod: Iod } & Omit<IodTableProps, 'iods'>) {
  const { mutate: remove, isPending } = useMutation({ mutationFn: () => onRemove(iod.id) })
  return (
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
        loading={isPending}
        onClick={() => remove()}
      />
    </div>
  )
}
