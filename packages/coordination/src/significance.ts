import { detectPairs } from './groups.js'
import { type Edge, network, quantile } from './network.js'
import { type DetectOptions, rowPairs } from './row-pairs.js'
import { type Share, type Table, tableOf } from './shares.js'

export interface SignificanceOptions extends DetectOptions {
  /** Number of shuffles; 100 by default. */
  runs?: number
  /** Percentile of the runs' heaviest edges that an edge must exceed, from 0 to 1; 0.99 by default. */
  percentile?: number
  /** Seed of the random numbers; 1 by default. */
  seed?: number
  /** Called after each run with the number of completed runs. */
  onRun?: (done: number) => void
}

export interface TestedEdge extends Edge {
  /**
   * Share of the runs in which the edge weighs at least as much, with the data counted as one more run (Phipson and
   * Smyth, 2010): at least 1 / (runs + 1).
   */
  pValue: number
  /** False discovery rate among the edges with at most this p-value (Benjamini and Hochberg, 1995). */
  qValue: number
}

export interface Significance {
  /** All edges, in the order of their first pair. */
  tested: TestedEdge[]
  /** Edges that weigh more than the threshold. */
  edges: TestedEdge[]
  /** Weight that an edge must exceed: 0 if no shuffle has a pair. */
  threshold: number
}

/** Returns a generator of random numbers in [0, 1) from a seed (mulberry32). */
const createRandom = (seed: number) => {
  let state = seed >>> 0
  return (): number => {
    state = (state + 0x6d2b79f5) >>> 0
    let mixed = Math.imul(state ^ (state >>> 15), state | 1)
    mixed ^= mixed + Math.imul(mixed ^ (mixed >>> 7), mixed | 61)
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 0x1_0000_0000
  }
}

/**
 * Returns a function that permutes the times of each account's posts. Shares of one post keep their time differences.
 */
const createShuffle = (table: Table, random: () => number) => {
  const { account, at, rows, shares } = table
  /** Post of each row. */
  const post = new Int32Array(rows).fill(-1)
  /** First time of each post. */
  const times: number[] = []
  /** Posts of each account, by content. */
  const posts = Array.from({ length: table.accounts }, () => new Map<string, number>())
  for (let row = 0; row < rows; row++) {
    const own = posts[account[row] as number]
    if (!own) continue
    const { content } = shares[row] as Share
    let n = own.get(content)
    if (n === undefined) {
      n = times.length
      own.set(content, n)
      times.push(at[row] as number)
    }
    post[row] = n
  }
  const byAccount = posts.map(own => [...own.values()])
  const moved = new Float64Array(times.length)
  const shuffled = new Float64Array(rows)
  return (): Float64Array => {
    moved.set(times)
    for (const own of byAccount) {
      for (let n = own.length - 1; n > 0; n--) {
        const one = own[n] as number
        const other = own[Math.floor(random() * (n + 1))] as number
        const previous = moved[one] as number
        moved[one] = moved[other] as number
        moved[other] = previous
      }
    }
    for (let row = 0; row < rows; row++) {
      const n = post[row] as number
      shuffled[row] = (at[row] as number) + (n < 0 ? 0 : (moved[n] as number) - (times[n] as number))
    }
    return shuffled
  }
}

/** Returns the weights of the edges. The key combines both account numbers. */
const weightsOf = (table: Table, times: Float64Array, options: DetectOptions): Map<number, number> => {
  const { older, newer } = rowPairs(table, times, options)
  const weights = new Map<number, number>()
  for (let n = 0; n < older.length; n++) {
    const one = table.account[older[n] as number] as number
    const other = table.account[newer[n] as number] as number
    const key = Math.min(one, other) * table.accounts + Math.max(one, other)
    weights.set(key, (weights.get(key) ?? 0) + 1)
  }
  return weights
}

/** Returns the q-values of p-values, in their order: the step-up procedure of Benjamini and Hochberg (1995). */
const falseDiscoveryRates = (pValues: readonly number[]): number[] => {
  const order = [...pValues.keys()].sort((a, b) => (pValues[b] as number) - (pValues[a] as number))
  const rates = new Array<number>(pValues.length)
  let least = 1
  for (const [n, index] of order.entries()) {
    least = Math.min(least, ((pValues[index] as number) * pValues.length) / (pValues.length - n))
    rates[index] = least
  }
  return rates
}

/**
 * Tests which edges weigh more than expected by chance. Each run shuffles the times among an account's posts, which
 * preserves its objects and its hours of activity. An edge must exceed the percentile of the runs' heaviest edges,
 * which corrects for multiple comparisons. Takes `runs` times as long as `detectPairs`.
 */
export function significance(shares: readonly Share[], options: SignificanceOptions): Significance {
  const { runs = 100, percentile = 0.99, seed = 1, onRun } = options
  const table = tableOf(shares)
  const shuffle = createShuffle(table, createRandom(seed))
  const observed = weightsOf(table, table.at, options)
  const exceedances = new Map<number, number>()
  const heaviest: number[] = []
  for (let run = 0; run < runs; run++) {
    const weights = weightsOf(table, shuffle(), options)
    let most = 0
    for (const [key, weight] of weights) {
      if (weight > most) most = weight
      if (weight >= (observed.get(key) ?? Number.POSITIVE_INFINITY))
        exceedances.set(key, (exceedances.get(key) ?? 0) + 1)
    }
    heaviest.push(most)
    onRun?.(run + 1)
  }
  const threshold = runs > 0 ? quantile(heaviest, percentile) : 0
  const numbers = new Map(shares.map(({ account }, row) => [account, table.account[row] as number]))
  const all = network(detectPairs(shares, options).pairs)
  const pValues = all.map(({ a, b }) => {
    const [one, other] = [numbers.get(a) as number, numbers.get(b) as number]
    const key = Math.min(one, other) * table.accounts + Math.max(one, other)
    return (1 + (exceedances.get(key) ?? 0)) / (runs + 1)
  })
  const qValues = falseDiscoveryRates(pValues)
  const tested = all.map((edge, n) => ({
    ...edge,
    pValue: pValues[n] as number,
    qValue: qValues[n] as number,
  }))
  return { tested, edges: tested.filter(({ weight }) => weight > threshold), threshold }
}

/** Returns only the edges of `significance`. */
export const significant = (shares: readonly Share[], options: SignificanceOptions): TestedEdge[] =>
  significance(shares, options).edges
