import { formatSpan } from '@iodine/mfe-kit'
import { Button, formatCount, HTMLTable, Tag } from '@iodine/ui'
import { type ReactNode, useMemo, useState } from 'react'
import { type CoShareLink, formatShare } from '../model/co-shares'
import type { DrawnNode, Network } from '../model/network'
import styles from './GraphTable.module.css'

const PAGE_SIZE = 100

interface GraphTableProps {
  label?: string
  /** Headers; the first column contains the labels. */
  headers: readonly string[]
  /** Indices of the nodes or links. */
  order: Uint32Array
  labelOf: (index: number) => string
  cellsOf: (index: number) => readonly ReactNode[]
  /** Index of a node or a link; -1 for none. */
  selected: number
  onSelect: (index: number) => void
}

/** Nodes or links as a table, with buttons that select them. */
function GraphTable({ label, headers, order, labelOf, cellsOf, selected, onSelect }: GraphTableProps) {
  const [shown, setShown] = useState(PAGE_SIZE)
  return (
    <div className={styles.frame}>
      <HTMLTable compact striped className={styles.table} aria-label={label} aria-rowcount={order.length + 1}>
        <thead>
          <tr>
            {headers.map(header => (
              <th key={header}>{header}</th>
            ))}
          </tr>
        </thead>
        <tbody>
          {Array.from(order.subarray(0, shown), (index, row) => (
            <tr key={index} aria-rowindex={row + 2}>
              <td className={styles.label}>
                <Button
                  variant="minimal"
                  size="small"
                  active={index === selected}
                  aria-pressed={index === selected}
                  text={labelOf(index)}
                  onClick={() => onSelect(index)}
                />
              </td>
              {cellsOf(index).map((cell, column) => (
                <td key={headers[column + 1]}>{cell}</td>
              ))}
            </tr>
          ))}
        </tbody>
      </HTMLTable>
      {shown < order.length && (
        <Button
          variant="minimal"
          text={`Show more (${formatCount(shown)} of ${formatCount(order.length)})`}
          onClick={() => setShown(shown + PAGE_SIZE)}
        />
      )}
    </div>
  )
}

type TableProps<N extends Network> = Pick<GraphTableProps, 'selected' | 'onSelect'> & { network: N }

/** The nodes as a table, in descending order of count. */
export function NodeTable({ network, ...selection }: TableProps<Network>) {
  const { nodes, ranking, labels, shape } = network
  const degrees = useMemo(() => {
    const counts = new Uint32Array(shape.nodeCount)
    for (const end of shape.sources) counts[end]!++
    for (const end of shape.targets) counts[end]!++
    return counts
  }, [shape])
  return (
    <GraphTable
      {...selection}
      headers={['Label', 'Type', 'Count', 'Links', 'Sources']}
      order={ranking}
      labelOf={node => labels[node]!}
      cellsOf={node => {
        const { type, count, sources } = nodes[node]!
        return [
          <Tag key="type" minimal>
            {type}
          </Tag>,
          count,
          degrees[node],
          sources.join(', '),
        ]
      }}
    />
  )
}

const probability = (value: number | null) => (value === null ? '–' : formatShare(value))

/** The pairs of accounts as a table, in descending order of their pairs of shares. */
export function PairTable({ network, ...selection }: TableProps<Network<DrawnNode, CoShareLink>>) {
  const { links, labels, shape } = network
  const order = useMemo(
    () => Uint32Array.from(links.keys()).sort((a, b) => links[b]!.edge.weight - links[a]!.edge.weight),
    [links],
  )
  return (
    <GraphTable
      {...selection}
      label="Pairs of accounts"
      headers={['Accounts', 'Pairs of shares', 'Average time apart', 'p-value', 'q-value', 'Significant']}
      order={order}
      labelOf={link => `${labels[shape.sources[link]!]} – ${labels[shape.targets[link]!]}`}
      cellsOf={link => {
        const { weight, avg_delta_s, p_value, q_value, significant } = links[link]!.edge
        return [
          formatCount(weight),
          formatSpan(avg_delta_s),
          probability(p_value),
          probability(q_value),
          significant === null ? '–' : significant ? 'yes' : 'no',
        ]
      }}
    />
  )
}
