import { formatSpan } from '@iodine/mfe-kit'
import { formatCount } from '@iodine/ui'
import { type ReactNode, useMemo } from 'react'
import { type CoShareLink, formatShare } from '../model/co-shares'
import { type DrawnNode, type Network, neighboursOf } from '../model/network'
import styles from './DetailCard.module.css'
import { FactsCard } from './FactsCard'
import type { LinkSlot, NodeSlot } from './GraphView'
import { Ends, Neighbours } from './Nodes'

type CoShareNetwork = Network<DrawnNode, CoShareLink>

/** The details of the selected account. */
export function AccountCard({
  className,
  network,
  node,
  onSelect,
  onClose,
}: NodeSlot & { network: CoShareNetwork }) {
  const { label, type, count } = network.nodes[node]!
  const neighbours = useMemo(() => neighboursOf(network, node), [network, node])
  return (
    <FactsCard
      className={className}
      label="Account details"
      title={label}
      facts={{
        Type: type,
        'Pairs of shares': formatCount(count),
        Accounts: formatCount(neighbours.length),
      }}
      onClose={onClose}
    >
      <h3 className={styles.subtitle}>Shares the same content as</h3>
      <Neighbours network={network} neighbours={neighbours} onSelect={onSelect} />
    </FactsCard>
  )
}

/** The details of the selected edge, with both posts of its pairs. */
export function EdgeCard({
  className,
  network,
  link,
  evidence,
  onSelect,
  onClose,
}: LinkSlot & { network: CoShareNetwork; evidence: (a: string, b: string) => ReactNode }) {
  const { edge } = network.links[link]!
  const ends = [network.shape.sources[link]!, network.shape.targets[link]!]
  return (
    <FactsCard
      className={className}
      label="Edge details"
      title={ends.map(node => network.labels[node]).join(' – ')}
      facts={{
        'Pairs of shares': formatCount(edge.weight),
        'Time apart': `${formatSpan(edge.avg_delta_s)} on average`,
        Symmetry: edge.symmetry.toFixed(2),
        Significant: edge.significant === null ? null : edge.significant ? 'yes' : 'no, may be chance',
        'p-value': edge.p_value !== null && `${formatShare(edge.p_value)}, from 100 runs with shuffled times`,
        'q-value':
          edge.q_value !== null && `${formatShare(edge.q_value)}, corrected for all pairs of accounts`,
      }}
      onClose={onClose}
    >
      <Ends network={network} ends={ends} onSelect={onSelect} />
      {evidence(edge.a, edge.b)}
    </FactsCard>
  )
}
