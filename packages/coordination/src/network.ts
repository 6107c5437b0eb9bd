import type { Pair } from './groups.js'

/** Two accounts and the pairs between them, undirected: `a` comes before `b` in the order of UTF-16 units. */
export interface Edge {
  a: string
  b: string
  /** Pairs between them. */
  weight: number
  /** Mean of the seconds between the posts of a pair. */
  avgDeltaS: number
  /** Distinct posts that are the older one of a pair, and the newer one. */
  nA: number
  nB: number
  /** The smaller of these two numbers as a share of the larger: 1 if both are equal. */
  symmetry: number
}

/** Joins the pairs of each two accounts to an edge, in the order of their first pair. Equal to CooRTweet's network. */
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

/** The value below which the share `q` of the values lies, interpolated (type 7 of Hyndman and Fan, 1996); NaN of none. */
export const quantile = (values: readonly number[], q: number): number => {
  const sorted = [...values].sort((a, b) => a - b)
  const at = (sorted.length - 1) * q
  const low = sorted[Math.floor(at)]
  const high = sorted[Math.ceil(at)]
  return low === undefined || high === undefined ? Number.NaN : low + (high - low) * (at - Math.floor(at))
}

/** Edges that weigh more than the quantile `q` of all weights: CooRTweet's subgraph by `edge_weight`. */
export const heaviest = (edges: readonly Edge[], q: number): Edge[] => {
  const threshold = quantile(
    edges.map(({ weight }) => weight),
    q,
  )
  return edges.filter(({ weight }) => weight > threshold)
}
