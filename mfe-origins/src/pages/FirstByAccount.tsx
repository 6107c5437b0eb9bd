import { Button, Card, formatCount } from '@iodine/ui'
import { Table } from '@iodine/ui/table'
import { useState } from 'react'
import {
  boundedTime,
  describeDistance,
  describeEdge,
  nameOf,
  type SearchResult,
  timeNote,
} from '../model/sightings'
import styles from './FirstByAccount.module.css'

const SHOWN = 8

/** The first occurrence of each account, the earliest first, and what it follows from. */
export function FirstByAccount({ found, onSelect }: { found: SearchResult; onSelect: (id: string) => void }) {
  const [isExpanded, setExpanded] = useState(false)
  const { firsts, counts, first } = found
  const rows = isExpanded ? firsts : firsts.slice(0, SHOWN)
  return (
    <Card className={styles.card} role="region" aria-label="First appearance by account">
      <h2 className={styles.title}>First appearance by account</h2>
      <Table
        label="First appearance of each account"
        minWidth={440}
        items={rows}
        columns={[
          {
            name: 'Account',
            isNamed: false,
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
            name: 'Time',
            width: 112,
            isNamed: false,
            cell: each => (
              <>
                <time dateTime={each.at}>{boundedTime(each)}</time>
                <span className={styles.meta}>{timeNote(each)}</span>
              </>
            ),
          },
          {
            name: 'Relation',
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
            cell: ({ count }) => formatCount(count),
          },
        ]}
      />
      {firsts.length > SHOWN && !isExpanded && (
        <Button
          variant="minimal"
          size="small"
          intent="primary"
          text={`Show all ${formatCount(firsts.length)} accounts`}
          onClick={() => setExpanded(true)}
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
