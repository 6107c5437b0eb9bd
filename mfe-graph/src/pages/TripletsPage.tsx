import { type Graph, type GraphNode, LIMITS } from '@iodine/contracts'
import { paths, useSections, withData } from '@iodine/mfe-kit'
import {
  Button,
  Classes,
  EmptyState,
  formatCount,
  HTMLSelect,
  LoadingPanel,
  Page,
  PageHeader,
  Switch,
  Tag,
} from '@iodine/ui'
import { GraphIcon, RefreshIcon } from '@iodine/ui/icons'
import { useSearchParams, useSetParam } from '@iodine/ui/router'
import { useMemo, useState } from 'react'
import { activeFilters, type Filters, fromSearch, NO_FILTERS, toQuery } from '../model/filters'
import { createNetwork, type TripletNetwork } from '../model/network'
import { useGraph } from '../queries/graph'
import { EntityDialog } from './EntityDialog'
import { ExpandButton } from './ExpandButton'
import { FilterPanel } from './FilterPanel'
import { GraphTabs } from './GraphTabs'
import { GraphView } from './GraphView'
import { TripletLegend } from './Legend'
import { LinkCard } from './LinkCard'
import { NodeCard } from './NodeCard'
import styles from './TripletsPage.module.css'

/** Default maximum number of nodes. */
const LIMIT = 5_000
const CHOICES = [1_000, LIMIT, 20_000, LIMITS.graphNodesMax]

/** The page of the graph of narratives' triplets. The URL contains the filters. */
export function TripletsPage() {
  const [search, setSearch] = useSearchParams()
  const filters = useMemo(() => fromSearch(search), [search])
  const query = useMemo(() => toQuery(filters), [filters])
  const limit = CHOICES.find(size => String(size) === search.get('limit')) ?? LIMIT
  const graph = useGraph(query, limit)
  const [expanded, setExpanded] = useState(false)
  const network = useMemo(() => (graph.data ? createNetwork(graph.data) : undefined), [graph.data])

  const apply = (wanted: Filters) => {
    const next = new URLSearchParams(toQuery(wanted))
    if (next.toString() === new URLSearchParams(query).toString()) return void graph.refetch()
    // Without the selection, which another graph may lack.
    for (const name of ['view', 'limit']) if (search.has(name)) next.set(name, search.get(name) ?? '')
    setSearch(next)
  }

  const set = useSetParam()
  const isFiltered = activeFilters(filters) > 0
  const totals = useMemo(() => graph.data && totalsOf(graph.data), [graph.data])
  return (
    <Page>
      <PageHeader
        title="Narrative Triplets Graph"
        subtitle="Interactive exploration of subject → verb → object relationships"
        actions={
          <>
            <Button
              icon={<RefreshIcon />}
              text="Refresh"
              onClick={() => void graph.refetch()}
              loading={graph.isFetching && !graph.isPending}
            />
            <ExpandButton expanded={expanded} onExpand={setExpanded} />
          </>
        }
      />
      <GraphTabs selected="triplets">
        <FilterPanel applied={filters} sources={graph.data?.sources} onApply={apply} />
        <div className={styles.summary}>
          {graph.data && totals && (
            <ul className={styles.badges} aria-label="Counts">
              <Badge count={totals.entities} one="entity" many="entities" />
              <Badge count={totals.verbs} one="verb" many="verbs" />
              <Badge count={graph.data.sources.length} one="source" many="sources" />
              <Badge count={totals.nodes} one="node" many="nodes" total />
            </ul>
          )}
          <Switch
            className={styles.canonical}
            checked={filters.canonical === 'true'}
            label="Merge variants"
            title="Shows all variants of an entity or verb as one node, as in your canonical narratives"
            onChange={event => set('canonical', event.currentTarget.checked ? 'true' : '')}
          />
        </div>
        {network && totals && totals.nodes > Math.min(...CHOICES) && (
          <Limit
            {...{ network, totals, limit }}
            onLimit={value => set('limit', value === String(LIMIT) ? '' : value)}
          />
        )}
        <LoadingPanel
          query={withData(graph, network)}
          errorTitle="Unable to load graph"
          loadingLabel="Loading graph..."
          skeleton={<div className={`${styles.skeleton} ${Classes.SKELETON}`} aria-hidden />}
          isEmpty={({ nodes }) => nodes.length === 0}
          empty={
            <NoData
              onShowAll={isFiltered && (() => apply({ ...NO_FILTERS, canonical: filters.canonical }))}
            />
          }
        >
          {shown => <TripletGraph network={shown} expanded={expanded} filters={query} />}
        </LoadingPanel>
      </GraphTabs>
    </Page>
  )
}

interface TripletGraphProps {
  network: TripletNetwork
  expanded: boolean
  filters: ReturnType<typeof toQuery>
}

function TripletGraph({ network, expanded, filters }: TripletGraphProps) {
  const [creating, setCreating] = useState<GraphNode | null>(null)
  return (
    <>
      <GraphView
        network={network}
        expanded={expanded}
        label="Narrative triplets graph"
        fileName="narrative-graph"
        legend={<TripletLegend />}
        nodeCard={slot => (
          <NodeCard
            {...slot}
            network={network}
            filters={filters}
            onCreateIod={() => setCreating(network.nodes[slot.node] ?? null)}
          />
        )}
        linkCard={slot => <LinkCard {...slot} network={network} filters={filters} />}
      />
      <EntityDialog entity={creating} onClose={() => setCreating(null)} />
    </>
  )
}

interface LimitProps {
  network: TripletNetwork
  totals: ReturnType<typeof totalsOf>
  limit: number
  onLimit: (value: string) => void
}

const Limit = ({ network, totals, limit, onLimit }: LimitProps) => (
  <div className={styles.limit}>
    <span>
      Showing {shownOf('nodes', network.nodes.length, totals.nodes)} and{' '}
      {shownOf('links', network.links.length, totals.links)}
    </span>
    <HTMLSelect
      aria-label="Maximum nodes shown"
      value={limit}
      onChange={event => onLimit(event.target.value)}
    >
      {CHOICES.map(size => (
        <option key={size} value={size}>
          up to {formatCount(size)}
        </option>
      ))}
    </HTMLSelect>
  </div>
)

/** `onShowAll`: false without filters. */
function NoData({ onShowAll }: { onShowAll: false | (() => void) }) {
  const sections = useSections()
  return (
    <EmptyState
      icon={<GraphIcon />}
      title="No data to display. Try adjusting your filters or add some narratives"
      action={
        onShowAll ? (
          <Button text="Show everything" onClick={onShowAll} />
        ) : (
          <Button text="Add narratives" onClick={() => sections.open(paths.narratives())} />
        )
      }
    />
  )
}

/** Returns the counts of the whole graph, including nodes and links beyond the limit. */
function totalsOf({ nodes, links, totals }: Graph) {
  const entities = nodes.filter(node => node.type === 'entity').length
  return totals ?? { entities, verbs: nodes.length - entities, nodes: nodes.length, links: links.length }
}

const shownOf = (what: string, shown: number, total: number): string =>
  shown < total
    ? `the strongest ${formatCount(shown)} of ${formatCount(total)} ${what}`
    : `all ${formatCount(total)} ${what}`

function Badge({ count, one, many, total }: { count: number; one: string; many: string; total?: boolean }) {
  return (
    <li>
      <Tag minimal round intent={total ? 'primary' : 'none'}>
        {formatCount(count)} {total && 'total '}
        {count === 1 ? one : many}
      </Tag>
    </li>
  )
}
