import { Button, formatCount } from '@iodine/ui'
import type { Neighbour, Network } from '../model/network'
import styles from './DetailCard.module.css'

const NEIGHBOURS_MAX = 100

interface NodesProps {
  network: Pick<Network, 'labels'>
  onSelect: (node: number) => void
}

/** The first neighbours of the selected node, as buttons that select them. */
export function Neighbours({
  network,
  neighbours,
  onSelect,
}: NodesProps & { neighbours: readonly Neighbour[] }) {
  const rest = neighbours.length - NEIGHBOURS_MAX
  return (
    <ul className={styles.neighbours} aria-label="Neighbours">
      {neighbours.slice(0, NEIGHBOURS_MAX).map(({ node, count }) => (
        <li key={node}>
          <Button
            fill
            variant="minimal"
            size="small"
            alignText="start"
            ellipsizeText
            text={network.labels[node]}
            endIcon={<span className={styles.count}>{count}</span>}
            onClick={() => onSelect(node)}
          />
        </li>
      ))}
      {rest > 0 && <li className={styles.more}>and {formatCount(rest)} more</li>}
    </ul>
  )
}

/** Both ends of the selected link, as buttons that select them. */
export function Ends({ network, ends, onSelect }: NodesProps & { ends: readonly number[] }) {
  return (
    <div className={styles.ends}>
      {ends.map(node => (
        <Button
          key={node}
          size="small"
          variant="outlined"
          ellipsizeText
          text={network.labels[node]}
          onClick={() => onSelect(node)}
        />
      ))}
    </div>
  )
}
