import { Button, HTMLTable, Tag } from '@iodine/ui'
import { useMemo, useState } from 'react'
import type { Network } from '../model/network'
import styles from './NodeTable.module.css'

const PAGE_SIZE = 100

export interface NodeTableProps {
  network: Network
  selected: number
  onSelect: (node: number) => void
}

/** The nodes as a table, in descending order of count. */
export function NodeTable({ network, selected, onSelect }: NodeTableProps) {
  const [shown, setShown] = useState(PAGE_SIZE)
  const { nodes, ranking, shape } = network
  const degrees = useMemo(() => {
    const counts = new Uint32Array(shape.nodeCount)
    for (const end of shape.sources) counts[end]!++
    for (const end of shape.targets) counts[end]!++
    return counts
  }, [shape])
  return (
    <div className={styles.frame}>
      <HTMLTable compact striped className={styles.table} aria-rowcount={nodes.length + 1}>
        <thead>
          <tr>
            <th>Label</th>
            <th>Type</th>
            <th>Count</th>
            <th>Links</th>
            <th>Sources</th>
          </tr>
        </thead>
        <tbody>
          {Array.from(ranking.subarray(0, shown), (node, row) => {
            const { id, label, type, count, sources } = nodes[node]!
            return (
              <tr key={id} aria-rowindex={row + 2}>
                <td className={styles.label}>
                  <Button
                    variant="minimal"
                    size="small"
                    active={node === selected}
                    aria-pressed={node === selected}
                    text={label}
                    onClick={() => onSelect(node)}
                  />
                </td>
                <td>
                  <Tag minimal>{type}</Tag>
                </td>
                <td>{count}</td>
                <td>{degrees[node]}</td>
                <td className={styles.label}>{sources.join(', ')}</td>
              </tr>
            )
          })}
        </tbody>
      </HTMLTable>
      {shown < nodes.length && (
        <Button
          variant="minimal"
          text={`Show more (${shown} of ${nodes.length})`}
          onClick={() => setShown(shown + PAGE_SIZE)}
        />
      )}
    </div>
  )
}
