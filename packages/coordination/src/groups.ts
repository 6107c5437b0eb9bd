import { type DetectOptions, rowPairs } from './row-pairs.js'
import { type Share, tableOf } from './shares.js'

/** Two posts with one object within the window: A is the older one, of equal times the one of the account that
 * came first in the input. */
export interface Pair {
  object: string
  /** Accounts. */
  a: string
  b: string
  contentA: string
  contentB: string
  deltaS: number
}

export interface Detected {
  pairs: Pair[]
  /** Objects that have more pairs than were made. */
  truncated: string[]
}

/**
 * Finds who shares the same objects within the window: pairs by object, with the objects whose pairs were cut. Equal to
 * `detect_groups` of CooRTweet 2.1 where nothing is cut: accounts with fewer than `minParticipation` shares are left out
 * first, and then pairs neither post of which is of an account with as many shares of posts that are in pairs. Shares
 * whose time is no finite number are left out. Throws a RangeError for a window or a participation that is no number from 0.
 */
export function detectPairs(shares: readonly Share[], options: DetectOptions): Detected {
  const table = tableOf(shares)
  const { older, newer, truncated } = rowPairs(table, table.at, options)
  const pairs = new Array<Pair>(older.length)
  for (let n = 0; n < older.length; n++) {
    const a = shares[older[n] as number] as Share
    const b = shares[newer[n] as number] as Share
    pairs[n] = {
      object: a.object,
      a: a.account,
      b: b.account,
      contentA: a.content,
      contentB: b.content,
      deltaS: b.at - a.at,
    }
  }
  return { pairs, truncated: truncated.map(row => (shares[row] as Share).object) }
}

/** The pairs of `detectPairs` alone. */
export const detectGroups = (shares: readonly Share[], options: DetectOptions): Pair[] =>
  detectPairs(shares, options).pairs
