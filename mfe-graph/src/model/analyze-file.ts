import { LIMITS } from '@iodine/contracts'
import { detectPairs, network, type Pair, significance } from '@iodine/coordination'
import type { CoShares } from './co-shares'
import { EdgeListError, readEdgeList } from './edge-list'

/** A file and the parameters of its analysis. */
export interface FileAnalysisInput {
  text: string
  windowS: number
  minParticipation: number
}

export interface FileFindings {
  coShares: CoShares
  shares: number
  rejected: number
  pairs: number
  accounts: number
  edges: number
  threshold: number | null
  truncatedObjects: number
  /** Pairs of shares by `pairKey` of their accounts, at most `LIMITS.coordinationEvidence` per key. */
  evidence: Record<string, FilePair[]>
}
/** A pair of shares with the time of its older post, in seconds. */
export type FilePair = Pair & { atA: number }

export type FileAnalysis = { findings: FileFindings } | { problem: string }

export const pairKey = (a: string, b: string): string => JSON.stringify(a < b ? [a, b] : [b, a])

/** Maximum number of shares for which the significance of edges is tested. */
const SIGNIFICANCE_SHARES = 50_000

/** Finds accounts in an edge list that share the same content within the time window. */
export function analyzeFile({ text, windowS, minParticipation }: FileAnalysisInput): FileAnalysis {
  try {
    const { shares, rejected } = readEdgeList(text)
    const options = { windowS, minParticipation }
    const { pairs, truncated } = detectPairs(shares, options)
    const all = network(pairs).sort((a, b) => b.weight - a.weight)
    const tests =
      shares.length <= SIGNIFICANCE_SHARES && all.length > 0 ? significance(shares, options) : null
    const threshold = tests?.threshold ?? null
    const tested = new Map(tests?.tested.map(edge => [pairKey(edge.a, edge.b), edge]))
    const kept = all.slice(0, LIMITS.coordinationEdges)
    const times = new Map(shares.map(({ content, at }) => [content, at]))
    const evidence: Record<string, FilePair[]> = Object.fromEntries(
      kept.map(({ a, b }) => [pairKey(a, b), []]),
    )
    for (const pair of pairs) {
      const own = evidence[pairKey(pair.a, pair.b)]
      if (own && own.length < LIMITS.coordinationEvidence)
        own.push({ ...pair, atA: times.get(pair.contentA) ?? 0 })
    }
    const weights = new Map<string, number>()
    for (const { a, b, weight } of kept)
      for (const account of [a, b]) weights.set(account, (weights.get(account) ?? 0) + weight)
    return {
      findings: {
        coShares: {
          nodes: [...weights].map(([id, count]) => ({ id, label: id, type: 'account', pairs: count })),
          edges: kept.map(({ a, b, weight, avgDeltaS, nA, nB, symmetry }) => ({
            a,
            b,
            weight,
            avg_delta_s: avgDeltaS,
            n_a: nA,
            n_b: nB,
            symmetry,
            significant: threshold === null ? null : weight > threshold,
            p_value: tested.get(pairKey(a, b))?.pValue ?? null,
            q_value: tested.get(pairKey(a, b))?.qValue ?? null,
          })),
        },
        shares: shares.length,
        rejected,
        pairs: pairs.length,
        accounts: new Set(all.flatMap(({ a, b }) => [a, b])).size,
        edges: all.length,
        threshold,
        truncatedObjects: truncated.length,
        evidence,
      },
    }
  } catch (error) {
    return { problem: error instanceof EdgeListError ? error.message : 'The file could not be analyzed' }
  }
}
