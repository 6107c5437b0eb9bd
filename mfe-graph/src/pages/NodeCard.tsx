import { Button, SegmentedControl, Tag } from '@iodine/ui'
import { useMemo } from 'react'
import { type Network, neighboursOf } from '../model/network'
import { DetailCard } from './DetailCard'
import styles from './DetailCard.module.css'

const NEIGHBOURS_MAX = 100

export interface NodeCardProps {
  className?: string | undefined
  network: Network
  node: number
  /** The graph is displayed up to this number of links from the node; 0 displays all of it. */
  depth: number
  onDepth: (depth: number) => void
  onSelect: (node: number) => void
  onClose: () => void
}

/** The details of the selected node. */
export function NodeCard({ className, network, node, depth, onDepth, onSelect, onClose }: NodeCardProps) {
  const { label, type, count, sources } = network.nodes[node]!
  const neighbours = useMemo(() => neighboursOf(network, node), [network, node])
  return (
    <DetailCard
      className={className}
      label="Node details"
      title={label}
      type={
        <Tag minimal className={type === 'verb' ? styles.verb : styles.entity}>
          {type}
        </Tag>
      }
      count={count}
      sources={sources}
      onClose={onClose}
    >
      <div className={styles.focus}>
        <span id="graph-focus">Links away</span>
        <SegmentedControl
          size="small"
          aria-labelledby="graph-focus"
          options={['All', '1', '2', '3'].map((text, value) => ({ label: text, value: String(value) }))}
          value={String(depth)}
          onValueChange={value => onDepth(Number(value))}
        />
      </div>
      <h3 className={styles.subtitle}>Neighbours ({neighbours.length})</h3>
      <ul className={styles.neighbours} aria-label="Neighbours">
        {neighbours.slice(0, NEIGHBOURS_MAX).map(neighbour => (
          <li key={neighbour.node}>
            <Button
              fill
              variant="minimal"
              size="small"
              alignText="start"
              ellipsizeText
              text={network.labels[neighbour.node]}
              endIcon={<span className={styles.count}>{neighbour.count}</span>}
              onClick={() => onSelect(neighbour.node)}
            />
          </li>
        ))}
        {neighbours.length > NEIGHBOURS_MAX && (
          <li className={styles.more}>and {neighbours.length - NEIGHBOURS_MAX} more</li>
        )}
      </ul>
    </DetailCard>
  )
}
