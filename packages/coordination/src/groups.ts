import { type DetectOptions, rowPairs } from './row-pairs.js'
import { type Share, tableOf } from './shares.js'

/**
 * Two posts with the same object within the window. A is the older post; for equal times, the post of the account that
 * comes first in the input.
 */
export interface Pair {
  object: string
  /** Accounts. */
  a: string
  b: string
  contentA: string
  contentB: string
  deltaS: number
}

export interface DetectedPairs {
  pairs: Pair[]
  /** Objects with more pairs than the limits allow. */
  truncated: string[]
}

/**
 * Finds pairs of accounts that share the same object within the window. Equal to `detect_groups` of CooRTweet 2.1 if no
 * object is truncated. Accounts with fewer than `minParticipation` shares are removed first. Then pairs are removed
 * unless one of their posts is by an account with `minParticipation` shares of paired posts. Shares without a finite
 * time are ignored.
 * @throws RangeError unless `windowS` and `minParticipation` are numbers from 0
 */
export function detectPairs(shares: readonly Share[], options: DetectOptions): DetectedPairs {
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

/** Returns only the pairs of `detectPairs`. */
export const detectGroups = (shares: readonly Share[], options: DetectOptions): Pair[] =>
  detectPairs(shares, options).pairs
