import { useState } from 'react'
import type { Address } from '../model/address'
import type { Filters } from '../model/filters'
import type { TripletNetwork } from '../model/network'
import { EntityDialog } from './EntityDialog'
import { GraphView } from './GraphView'
import { Legend } from './Legend'
import { LinkCard } from './LinkCard'
import { NodeCard } from './NodeCard'

export interface TripletsViewProps {
  network: TripletNetwork
  expanded: boolean
  /** The filters of the displayed graph. */
  filters: Partial<Filters>
  address: Address
  onAddress: (change: Partial<Address>) => void
}

/** The graph of triplets, with the narratives behind its nodes and links. */
export function TripletsView({ network, expanded, filters, address, onAddress }: TripletsViewProps) {
  const [creating, setCreating] = useState<number | null>(null)
  return (
    <>
      <GraphView
        network={network}
        expanded={expanded}
        address={address}
        onAddress={onAddress}
        label="Narrative triplets graph"
        fileName="narrative-graph"
        legend={<Legend />}
        nodeCard={slot => (
          <NodeCard
            {...slot}
            network={network}
            filters={filters}
            onCreateIod={() => setCreating(slot.node)}
          />
        )}
        linkCard={slot => <LinkCard {...slot} network={network} filters={filters} />}
      />
      <EntityDialog
        entity={creating === null ? null : (network.nodes[creating] ?? null)}
        onClose={() => setCreating(null)}
      />
    </>
  )
}
