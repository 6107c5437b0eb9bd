import { useHost } from '@iodine/mfe-kit'
import { Button, formatCount, SegmentedControl, Tag } from '@iodine/ui'
import { AddIcon } from '@iodine/ui/icons'
import { useMemo } from 'react'
import { type GraphQuery, isOwnGraph } from '../model/filters'
import { neighboursOf, type TripletNetwork } from '../model/network'
import styles from './DetailCard.module.css'
import { FactsCard, Sources } from './FactsCard'
import type { NodeSlot } from './GraphView'
import { Mentions } from './Mentions'
import { Neighbours } from './Nodes'

export interface NodeCardProps extends NodeSlot {
  network: TripletNetwork
  /** The filters of the displayed graph. */
  filters: GraphQuery
  /** Called to create an IOD of the entity. */
  onCreateIod: () => void
}

/** The details of the selected node. */
export function NodeCard(props: NodeCardProps) {
  const { className, network, node, filters, depth, onDepth, onSelect, onClose, onCreateIod } = props
  const isOwn = isOwnGraph(filters, useHost().session.user.id)
  const { id, label, type, count, sources } = network.nodes[node]!
  const neighbours = useMemo(() => neighboursOf(network, node), [network, node])
  return (
    <FactsCard
      className={className}
      label="Node details"
      title={label}
      facts={{
        Type: (
          <Tag minimal className={type === 'verb' ? styles.verb : styles.entity}>
            {type}
          </Tag>
        ),
        Count: formatCount(count),
        Sources: <Sources sources={sources} />,
      }}
      onClose={onClose}
    >
      {type === 'entity' && (
        <Button
          className={styles.create}
          variant="outlined"
          size="small"
          icon={<AddIcon />}
          text="IOD"
          aria-label={`Create IOD: ${label}`}
          onClick={onCreateIod}
        />
      )}
      <div className={styles.focus}>
        <span id="graph-focus" title="Shows only nodes within this number of links">
          Hops
        </span>
        <SegmentedControl
          size="small"
          aria-labelledby="graph-focus"
          options={['All', '1', '2', '3'].map((text, value) => ({ label: text, value: String(value) }))}
          value={String(depth)}
          onValueChange={value => onDepth(Number(value))}
        />
      </div>
      {isOwn ? (
        <Mentions key={id} node={id} filters={filters} />
      ) : (
        <p className={styles.more}>Only the author can see the narratives of a node.</p>
      )}
      <h3 className={styles.subtitle}>Neighbours ({neighbours.length})</h3>
      <Neighbours network={network} neighbours={neighbours} onSelect={onSelect} />
    </FactsCard>
  )
}
