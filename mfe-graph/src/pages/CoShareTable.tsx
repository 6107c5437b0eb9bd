import { formatSpan } from '@iodine/mfe-kit'
import { formatCount } from '@iodine/ui'
import { useMemo } from 'react'
import { type CoShareLink, formatShare } from '../model/co-shares'
import type { DrawnNode, Network } from '../model/network'
import { GraphTable, type TableProps } from './GraphTable'

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
