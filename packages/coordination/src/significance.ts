import { detectPairs } from './groups.js'
import { type Edge, network, quantile } from './network.js'
import { type DetectOptions, rowPairs } from './row-pairs.js'
import { type Share, type Table, tableOf } from './shares.js'

export interface SignificanceOptions extends DetectOptions {
  /** How often the times are shuffled; 100 if not given. */
  runs?: number
  /** The share of the runs whose heaviest edge an edge must outweigh; 0.99 if not given. */
  percentile?: number
  /** The same seed shuffles alike; 1 if not given. */
  seed?: number
  /** Called after each run with how many are done. */
  onRun?: (done: number) => void
}

export interface Significance {
  /** Edges that weigh more than the threshold. */
  edges: Edge[]
  /** Weight that an edge must exceed: 0 where shuffled times leave no pair. */
  threshold: number
}

/** Numbers from 0 to below 1 from a seed (mulberry32). */
const createRandom = (seed: number) => {
  let state = seed >>> 0
  return (): number => {
    state = (state + 0x6d2b79f5) >>> 0
    let mixed = Math.imul(state ^ (state >>> 15), state | 1)
    mixed ^= mixed + Math.imul(mixed ^ (mixed >>> 7), mixed | 61)
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 0x1_0000_0000
  }
}

/** Makes times in which each account's posts have changed places; all shares of a post keep their distances in time. */
const createShuffle = (table: Table, random: () => number) => {
  const { account, at, rows, shares } = table
  /** For each row its post, for each post its first time, for each account its posts. */
  const post = new Int32Array(rows).fill(-1)
  const times: number[] = []
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
        const kept = moved[one] as number
        moved[one] = moved[other] as number
        moved[other] = kept
      }
    }
    for (let row = 0; row < rows; row++) {
      const n = post[row] as number
      shuffled[row] = (at[row] as number) + (n < 0 ? 0 : (moved[n] as number) - (times[n] as number))
    }
    return shuffled
  }
}

/** The weight of the heaviest edge; 0 for no pair. */
const heaviestWeight = (table: Table, times: Float64Array, options: DetectOptions): number => {
  const { older, newer } = rowPairs(table, times, options)
  const weights = new Map<number, number>()
  let most = 0
  for (let n = 0; n < older.length; n++) {
    const one = table.account[older[n] as number] as number
    const other = table.account[newer[n] as number] as number
    const key = Math.min(one, other) * table.accounts + Math.max(one, other)
    const weight = (weights.get(key) ?? 0) + 1
    weights.set(key, weight)
    if (weight > most) most = weight
  }
  return most
}

/**
 * Which edges weigh more than chance explains: the times of each account's posts are shuffled among them, so that what it
 * shares and when it is awake stay as they are, and an edge must weigh more than the percentile of the heaviest edges of
 * all runs (which corrects for how many edges are compared). Takes as long as `runs` times `detectPairs`.
 */
export function significance(shares: readonly Share[], options: SignificanceOptions): Significance {
  const { runs = 100, percentile = 0.99, seed = 1, onRun } = options
  const table = tableOf(shares)
  const shuffle = createShuffle(table, createRandom(seed))
  const heaviest: number[] = []
  for (let run = 0; run < runs; run++) {
    heaviest.push(heaviestWeight(table, shuffle(), options))
    onRun?.(run + 1)
  }
  const threshold = runs > 0 ? quantile(heaviest, percentile) : 0
  const edges = network(detectPairs(shares, options).pairs).filter(({ weight }) => weight > threshold)
  return { edges, threshold }
}

/** The edges of `significance` alone. */
export const significant = (shares: readonly Share[], options: SignificanceOptions): Edge[] =>
  significance(shares, options).edges
