import { errorDetail, useHost } from '@iodine/mfe-kit'
import { Button, EmptyState, ErrorCallout, HTMLSelect, Loading, Page, PageHeader, Tag } from '@iodine/ui'
import { GraphIcon, MaximizeIcon, MinimizeIcon, RefreshIcon } from '@iodine/ui/icons'
import { useSearchParams } from '@iodine/ui/router'
import { useMemo, useState } from 'react'
import { type Filters, fromSearch, toQuery } from '../model/filters'
import { createNetwork, strongest } from '../model/network'
import { useGraph } from '../queries/use-graph'
import { FilterPanel } from './FilterPanel'
import styles from './GraphPage.module.css'
import { GraphView } from './GraphView'

/** How many nodes are drawn unless the user wants more. */
const LIMIT = 5_000
const LIMITS = [1_000, LIMIT, 20_000, 50_000]

export function GraphPage() {
  const { session } = useHost()
  const [search, setSearch] = useSearchParams()
  const filters = useMemo(() => fromSearch(search), [search])
  const query = useMemo(() => toQuery(filters), [filters])
  const graph = useGraph(query)
  const [expanded, setExpanded] = useState(false)
  const [limit, setLimit] = useState(LIMIT)
  const network = useMemo(
    () => (graph.data ? createNetwork(strongest(graph.data, limit)) : undefined),
    [graph.data, limit],
  )

  const apply = (wanted: Filters) => {
    const next = new URLSearchParams(toQuery(wanted))
    if (next.toString() === new URLSearchParams(query).toString()) void graph.refetch()
    else setSearch(next)
  }

  const nodes = graph.data?.nodes
  const entities = useMemo(() => nodes?.filter(node => node.type === 'entity').length ?? 0, [nodes])
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
            <Button
              icon={expanded ? <MinimizeIcon /> : <MaximizeIcon />}
              text={expanded ? 'Collapse' : 'Expand'}
              onClick={() => setExpanded(!expanded)}
            />
          </>
        }
      />
      <FilterPanel applied={filters} sources={graph.data?.sources} onApply={apply} />
      {nodes && (
        <ul className={styles.badges} aria-label="Counts">
          <Badge count={entities} one="entity" many="entities" />
          <Badge count={nodes.length - entities} one="verb" many="verbs" />
          <Badge count={graph.data?.sources.length ?? 0} one="source" many="sources" />
          <Badge count={nodes.length} one="node" many="nodes" total />
        </ul>
      )}
      {nodes && nodes.length > Math.min(...LIMITS) && (
        <div className={styles.limit}>
          <span>
            {network && network.nodes.length < nodes.length
              ? `Showing the strongest ${network.nodes.length.toLocaleString('en-US')} of ${nodes.length.toLocaleString('en-US')} nodes`
              : 'Showing all nodes'}
          </span>
          <HTMLSelect
            aria-label="Most nodes shown"
            value={limit}
            onChange={event => setLimit(Number(event.target.value))}
          >
            {LIMITS.map(size => (
              <option key={size} value={size}>
                up to {size.toLocaleString('en-US')}
              </option>
            ))}
          </HTMLSelect>
        </div>
      )}
      {graph.isPending && <Loading label="Loading graph..." />}
      {graph.isError && (
        <ErrorCallout
          title="Unable to load graph"
          onRetry={() => void graph.refetch()}
          retrying={graph.isFetching}
        >
          {errorDetail(graph.error, '')}
        </ErrorCallout>
      )}
      {network &&
        !graph.isError &&
        (network.nodes.length === 0 ? (
          <EmptyState
            icon={<GraphIcon />}
            title="No data to display. Try adjusting your filters or add some narratives"
          />
        ) : (
          <GraphView
            network={network}
            expanded={expanded}
            own={(query.user_id ?? session.user.id) === session.user.id}
          />
        ))}
    </Page>
  )
}

function Badge({ count, one, many, total }: { count: number; one: string; many: string; total?: boolean }) {
  return (
    <li>
      <Tag minimal round intent={total ? 'primary' : 'none'}>
        {count.toLocaleString('en-US')} {total && 'total '}
        {count === 1 ? one : many}
      </Tag>
    </li>
  )
}
