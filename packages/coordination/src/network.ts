import type { Pair } from './groups.js'

/** An undirected edge between two accounts: `a` sorts before `b` by UTF-16 units. */
export interface Edge {
  a: string
  b: string
  /** Number of pairs. */
  weight: number
  /** Mean time between the posts of a pair, in seconds. */
  avgDeltaS: number
  /** Number of distinct older posts (A) and newer posts (B) of the pairs. */
  nA: number
  nB: number
  /** The smaller of `nA` and `nB` divided by the larger. */
  symmetry: number
}

/**
 * Aggregates the pairs of two accounts into an edge, in the order of their first pair. Equal to CooRTweet's network.
 */
export function network(pairs: readonly Pair[]): Edge[] {
  const byAccounts = new Map<string, Map<string, { pairs: Pair[]; sum: number }>>()
  const found: { a: string; b: string; of: { pairs: Pair[]; sum: number } }[] = []
  for (const pair of pairs) {
    const [a, b] = pair.a < pair.b ? [pair.a, pair.b] : [pair.b, pair.a]
    let others = byAccounts.get(a)
    if (!others) {
      others = new Map()
      byAccounts.set(a, others)
    }
    let of = others.get(b)
    if (!of) {
      of = { pairs: [], sum: 0 }
      others.set(b, of)
      found.push({ a, b, of })
    }
    of.pairs.push(pair)
    of.sum += pair.deltaS
  }
  return found.map(({ a, b, of }) => {
    const nA = new Set(of.pairs.map(pair => pair.contentA)).size
    const nB = new Set(of.pairs.map(pair => pair.contentB)).size
    return {
      a,
      b,
      weight: of.pairs.length,
      avgDeltaS: of.sum / of.pairs.length,
      nA,
      nB,
      symmetry: Math.min(nA, nB) / Math.max(nA, nB),
    }
  })
}

/** Returns the quantile `q`, interpolated (type 7 of Hyndman and Fan, 1996); NaN for no values. */
export const quantile = (values: readonly number[], q: number): number => {
  const sorted = [...values].sort((a, b) => a - b)
  const at = (sorted.length - 1) * q
  const low = sorted[Math.floor(at)]
  const high = sorted[Math.ceil(at)]
  return low === undefined || high === undefined ? Number.NaN : low + (high - low) * (at - Math.floor(at))
}

/** Returns the edges with a weight above the quantile `q` of all weights: CooRTweet's subgraph by `edge_weight`. */
export const heaviest = (edges: readonly Edge[], q: number): Edge[] => {
  const threshold = quantile(
    edges.map(({ weight }) => weight),
    q,
  )
  return edges.filter(({ weight }) => weight > threshold)
}
