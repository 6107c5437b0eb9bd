import { Button, formatCount, HTMLTable, Tag } from '@iodine/ui'
import { type ReactNode, useMemo, useState } from 'react'
import type { Network } from '../model/network'
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
export function GraphTable({ label, headers, order, labelOf, cellsOf, selected, onSelect }: GraphTableProps) {
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

export type TableProps<N extends Network> = Pick<GraphTableProps, 'selected' | 'onSelect'> & { network: N }

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
