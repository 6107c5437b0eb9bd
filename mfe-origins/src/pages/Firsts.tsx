import { Button, Card, formatCount } from '@iodine/ui'
import { Table } from '@iodine/ui/table'
import { useState } from 'react'
import { boundedTime, describeDistance, describeEdge, type Found, nameOf, timeNote } from '../model/sightings'
import styles from './Firsts.module.css'

const SHOWN = 8

/** Each account's first sighting, the earliest first, and what it follows from. */
export function Firsts({ found, onSelect }: { found: Found; onSelect: (id: string) => void }) {
  const [isWhole, setWhole] = useState(false)
  const { firsts, counts, first } = found
  const rows = isWhole ? firsts : firsts.slice(0, SHOWN)
  return (
    <Card className={styles.card} role="region" aria-label="First by account">
      <h2 className={styles.title}>First by account</h2>
      <Table
        label="First of each account"
        minWidth={440}
        items={rows}
        columns={[
          {
            name: 'Account',
            cell: each => (
              <Button
                variant="minimal"
                size="small"
                alignText="start"
                className={styles.account ?? ''}
                disabled={!found.byId.has(each.id)}
                text={<bdi className={styles.clamp}>{nameOf(each)}</bdi>}
                onClick={() => onSelect(each.id)}
              />
            ),
          },
          {
            name: 'First',
            width: 112,
            cell: each => (
              <>
                <time dateTime={each.at}>{boundedTime(each)}</time>
                <span className={styles.meta}>{timeNote(each)}</span>
              </>
            ),
          },
          {
            name: 'How',
            isNamed: true,
            cell: each => {
              const [edge] = found.edgesTo.get(each.id) ?? []
              if (each.id === first?.id) return 'Earliest known here'
              if (edge)
                return <span className={styles.clamp}>{describeEdge(edge, found.byId.get(edge.from))}</span>
              return first && describeDistance(first, each)
            },
          },
          {
            name: 'Posts',
            width: 64,
            isNumber: true,
            isNamed: true,
            cell: ({ count }) => formatCount(count),
          },
        ]}
      />
      {firsts.length > SHOWN && !isWhole && (
        <Button
          variant="minimal"
          size="small"
          intent="primary"
          text={`Show all ${formatCount(firsts.length)} accounts`}
          onClick={() => setWhole(true)}
        />
      )}
      {counts.accounts > firsts.length && (
        <p className={styles.meta}>
          The earliest {formatCount(firsts.length)} of {formatCount(counts.accounts)} accounts are listed.
        </p>
      )}
    </Card>
  )
}
