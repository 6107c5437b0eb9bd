import { Button, Card, SegmentedControl, Tag } from '@iodine/ui'
import { CrossIcon } from '@iodine/ui/icons'
import { useMemo } from 'react'
import { type Network, neighboursOf } from '../model/network'
import styles from './NodeCard.module.css'
import { SourceList } from './SourceList'

const NEIGHBOURS_MAX = 100

export interface NodeCardProps {
  className?: string | undefined
  network: Network
  node: number
  /** How many links away the picture still shows; 0 shows everything. */
  depth: number
  onDepth: (depth: number) => void
  onSelect: (node: number) => void
  onClose: () => void
}

/** What is known of the selected node. */
export function NodeCard({ className, network, node, depth, onDepth, onSelect, onClose }: NodeCardProps) {
  const { label, type, count, sources } = network.nodes[node]!
  const neighbours = useMemo(() => neighboursOf(network, node), [network, node])
  return (
    <Card
      className={`${styles.card} ${className ?? ''}`}
      role="region"
      aria-label="Node details"
      elevation={2}
    >
      <header className={styles.header}>
        <h2 className={styles.title}>{label}</h2>
        <Button
          variant="minimal"
          size="small"
          icon={<CrossIcon />}
          aria-label="Clear selection"
          onClick={onClose}
        />
      </header>
      <dl className={styles.facts}>
        <dt>Type</dt>
        <dd>
          <Tag minimal className={type === 'verb' ? styles.verb : styles.entity}>
            {type}
          </Tag>
        </dd>
        <dt>Count</dt>
        <dd>{count.toLocaleString('en-US')}</dd>
        <dt>Sources</dt>
        <dd>
          <SourceList sources={sources} />
        </dd>
      </dl>
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
    </Card>
  )
}
