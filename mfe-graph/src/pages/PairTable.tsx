import { formatSpan } from '@iodine/mfe-kit'
import { Button, formatCount, HTMLTable } from '@iodine/ui'
import { useMemo, useState } from 'react'
import { type CoShareLink, formatShare } from '../model/co-shares'
import type { DrawnNode, Network } from '../model/network'
import styles from './NodeTable.module.css'

const PAGE_SIZE = 100

export interface PairTableProps {
  network: Network<DrawnNode, CoShareLink>
  /** Index of a link; -1 for none. */
  selected: number
  onSelect: (link: number) => void
}

/** The pairs of accounts as a table, in descending order of their pairs of shares. */
export function PairTable({ network, selected, onSelect }: PairTableProps) {
  const [shown, setShown] = useState(PAGE_SIZE)
  const { links, labels, shape } = network
  const order = useMemo(
    () => [...links.keys()].sort((a, b) => links[b]!.edge.weight - links[a]!.edge.weight),
    [links],
  )
  const probability = (value: number | null) => (value === null ? '–' : formatShare(value))
  return (
    <div className={styles.frame}>
      <HTMLTable compact striped className={styles.table} aria-label="Pairs of accounts">
        <thead>
          <tr>
            <th>Accounts</th>
            <th>Pairs of shares</th>
            <th>Average time apart</th>
            <th>p-value</th>
            <th>q-value</th>
            <th>Significant</th>
          </tr>
        </thead>
        <tbody>
          {order.slice(0, shown).map(link => {
            const { edge } = links[link]!
            return (
              <tr key={`${edge.a}\n${edge.b}`}>
                <td className={styles.label}>
                  <Button
                    variant="minimal"
                    size="small"
                    active={link === selected}
                    aria-pressed={link === selected}
                    text={[shape.sources[link]!, shape.targets[link]!].map(node => labels[node]).join(' – ')}
                    onClick={() => onSelect(link)}
                  />
                </td>
                <td>{formatCount(edge.weight)}</td>
                <td>{formatSpan(edge.avg_delta_s)}</td>
                <td>{probability(edge.p_value)}</td>
                <td>{probability(edge.q_value)}</td>
                <td>{edge.significant === null ? '–' : edge.significant ? 'yes' : 'no'}</td>
              </tr>
            )
          })}
        </tbody>
      </HTMLTable>
      {shown < links.length && (
        <Button
          variant="minimal"
          text={`Show more (${formatCount(shown)} of ${formatCount(links.length)})`}
          onClick={() => setShown(shown + PAGE_SIZE)}
        />
      )}
    </div>
  )
}
