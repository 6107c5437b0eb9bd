import { type CoordinationNetwork, SOURCES } from '@iodine/contracts'
import type { Drawn, DrawnLink, DrawnNode, Kinds } from './network'

export type CoShareEdge = CoordinationNetwork['edges'][number]

/** Accounts that share the same content, from a run or a file. */
export interface CoShares {
  nodes: { id: string; label: string; type: string; pairs: number }[]
  edges: CoShareEdge[]
}
export interface CoShareLink extends DrawnLink {
  edge: CoShareEdge
}

/** Sources in the order of their colours. A file has only one kind of account. */
export const CO_SHARE_KINDS: Kinds = {
  nodes: SOURCES,
  links: ['co-share', 'beyond chance'],
  directed: false,
}

/** Size of the account with the most pairs, relative to one without pairs. */
const SIZE_MAX = 12

export const coSharesOf = ({ nodes, edges }: CoordinationNetwork): CoShares => ({
  nodes: nodes.map(({ id, account, source, pairs }) => ({ id, label: account, type: source, pairs })),
  edges,
})

/** Returns the accounts and edges to draw: all, or only the significant edges. */
export function drawnCoShares(
  { nodes, edges }: CoShares,
  onlyBeyondChance: boolean,
): Drawn<DrawnNode, CoShareLink> {
  const kept = onlyBeyondChance ? edges.filter(({ significant }) => significant) : edges
  const ends = new Set(kept.flatMap(({ a, b }) => [a, b]))
  const most = nodes.reduce((max, { pairs }) => Math.max(max, pairs), 1)
  return {
    nodes: nodes
      .filter(({ id }) => ends.has(id))
      .map(({ id, label, type, pairs }) => ({
        id,
        label,
        type,
        count: pairs,
        size: 1 + (SIZE_MAX - 1) * (pairs / most),
        sources: [],
      })),
    links: kept.map(edge => ({
      source: edge.a,
      target: edge.b,
      type: edge.significant ? 'beyond chance' : 'co-share',
      count: edge.weight,
      edge,
    })),
  }
}

/** Formats a p-value or q-value: '0.0099', '0.25'. */
export const formatShare = (value: number): string => String(Number(value.toPrecision(2)))
