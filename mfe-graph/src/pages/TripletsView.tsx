import { useState } from 'react'
import type { Filters } from '../model/filters'
import type { TripletNetwork } from '../model/network'
import type { ViewState } from '../model/view-state'
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
  viewState: ViewState
  onViewState: (change: Partial<ViewState>) => void
}

/** The graph of triplets, with the narratives behind its nodes and links. */
export function TripletsView({ network, expanded, filters, viewState, onViewState }: TripletsViewProps) {
  const [creating, setCreating] = useState<number | null>(null)
  return (
    <>
      <GraphView
        network={network}
        expanded={expanded}
        viewState={viewState}
        onViewState={onViewState}
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
