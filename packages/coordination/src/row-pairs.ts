import { Numbers, type Share, type Table } from './shares.js'

export interface DetectOptions {
  /** Seconds between two shares of an object that still are together. */
  windowS: number
  /** Shares that an account must have to be looked at, and posts of it that must have taken part. */
  minParticipation: number
  /** Whether an account's pairs with itself are kept, and those of a post with the object that it is. */
  loops?: boolean
  /** Pairs that are made of one object at most. Of one that has more, each share keeps those nearest before it. */
  maxPairsPerObject?: number
  /** Pairs that are made in all at most: objects that come later have none. */
  maxPairs?: number
}

export const PAIRS_PER_OBJECT_MAX = 200_000
export const PAIRS_MAX = 5_000_000

/** Pairs as rows of a table: the older share, the newer one. */
export interface RowPairs {
  older: Int32Array
  newer: Int32Array
  /** Objects, by a row of each, that have more pairs than were made. */
  truncated: number[]
}

class RowPairList {
  #older = new Int32Array(1_024)
  #newer = new Int32Array(1_024)
  length = 0

  add(older: number, newer: number): void {
    if (this.length === this.#older.length) {
      this.#older = grown(this.#older)
      this.#newer = grown(this.#newer)
    }
    this.#older[this.length] = older
    this.#newer[this.length++] = newer
  }

  older = () => this.#older.subarray(0, this.length)
  newer = () => this.#newer.subarray(0, this.length)
}

const grown = (array: Int32Array<ArrayBuffer>) => {
  const larger = new Int32Array(2 * array.length)
  larger.set(array)
  return larger
}

const check = ({ windowS, minParticipation }: DetectOptions): void => {
  if (!(Number.isFinite(windowS) && windowS >= 0))
    throw new RangeError('windowS is a number of seconds from 0')
  if (!(minParticipation >= 0)) throw new RangeError('minParticipation is a number from 0')
}

/**
 * Pairs of shares of one object within the window, with the times of `at`. The semantics are those of CooRTweet 2.1
 * (Righetti and Balluff, 2025), which filters participation twice.
 */
export function rowPairs(table: Table, at: Float64Array, options: DetectOptions): RowPairs {
  check(options)
  const { minParticipation } = options
  const counts = new Int32Array(table.accounts)
  for (const account of table.account) if (account >= 0) counts[account] = (counts[account] as number) + 1
  const isIn = (row: number) => {
    const account = table.account[row] as number
    return account >= 0 && (counts[account] as number) >= minParticipation
  }
  const found = pairsWithin(table, at, options, isIn)
  return minParticipation > 1 ? ofParticipants(table, found, minParticipation, isIn) : found
}

const pairsWithin = (
  table: Table,
  at: Float64Array,
  { windowS, loops = false, maxPairsPerObject = PAIRS_PER_OBJECT_MAX, maxPairs = PAIRS_MAX }: DetectOptions,
  isIn: (row: number) => boolean,
): RowPairs => {
  const { account, byObject, isItself, shares, starts } = table
  const pairs = new RowPairList()
  const truncated: number[] = []
  let group = new Int32Array(64)
  /** For each place of the group the last one before it that is of another account. */
  let otherBefore = new Int32Array(64)
  /** For each place how many shares before it make a pair with it; for each account how many of its shares are in the window. */
  let partners = new Int32Array(64)
  const within = new Int32Array(table.accounts)
  const leave = (by: number) => {
    within[by] = (within[by] as number) - 1
  }

  for (let object = 0; object + 1 < starts.length; object++) {
    let size = 0
    const end = starts[object + 1] as number
    while (group.length < end - (starts[object] as number)) group = grown(group)
    for (let n = starts[object] as number; n < end; n++) {
      const row = byObject[n] as number
      if (isIn(row) && (loops || !isItself[row])) group[size++] = row
    }
    if (size < 2) continue
    sortByTime(group.subarray(0, size), at, account)
    while (otherBefore.length < size) otherBefore = grown(otherBefore)
    while (partners.length < size) partners = grown(partners)
    let total = 0
    for (let n = 0, first = 0; n < size; n++) {
      const row = group[n] as number
      const by = account[row] as number
      const isSame = n > 0 && account[group[n - 1] as number] === by
      otherBefore[n] = isSame ? (otherBefore[n - 1] as number) : n - 1
      while ((at[row] as number) - (at[group[first] as number] as number) > windowS) {
        leave(account[group[first++] as number] as number)
      }
      const count = n - first - (loops ? 0 : (within[by] as number))
      within[by] = (within[by] as number) + 1
      partners[n] = count
      total += count
    }
    for (const row of group.subarray(0, size)) within[account[row] as number] = 0
    const most =
      total <= maxPairsPerObject
        ? Number.POSITIVE_INFINITY
        : boundFor(partners.subarray(0, size), maxPairsPerObject)
    const last = Math.min(maxPairs, pairs.length + maxPairsPerObject)
    let isCut = false
    for (let n = 1; n < size; n++) {
      const newer = group[n] as number
      let made = 0
      let before = n - 1
      while (before >= 0) {
        const older = group[before] as number
        if ((at[newer] as number) - (at[older] as number) > windowS) break
        if (!loops && account[older] === account[newer]) {
          before = otherBefore[before] as number
          continue
        }
        if (made === most || pairs.length === last) {
          isCut = true
          break
        }
        made++
        before--
        if (loops || (shares[older] as Share).content !== (shares[newer] as Share).content)
          pairs.add(older, newer)
      }
    }
    if (isCut) truncated.push(group[0] as number)
  }
  return { older: pairs.older(), newer: pairs.newer(), truncated }
}

/** How many pairs each share may have with those before it, so that all together are no more than `max`; 1 at least. */
const boundFor = (partners: Int32Array, max: number): number => {
  const withBound = (bound: number) => partners.reduce((sum, count) => sum + Math.min(count, bound), 0)
  let low = 1
  let high = Math.max(1, max)
  while (low < high) {
    const middle = Math.ceil((low + high) / 2)
    if (withBound(middle) <= max) low = middle
    else high = middle - 1
  }
  return low
}

/** Sorts rows by time, those of one time by account, in the order in which accounts come first, and then by place. */
const sortByTime = (rows: Int32Array, at: Float64Array, account: Int32Array): void => {
  const order = (a: number, b: number) =>
    (at[a] as number) - (at[b] as number) || (account[a] as number) - (account[b] as number) || a - b
  for (let n = 1; n < rows.length; n++) {
    if (order(rows[n - 1] as number, rows[n] as number) > 0) {
      rows.sort(order)
      return
    }
  }
}

/** Those of the pairs with a post whose account has enough shares of posts that are in pairs. */
const ofParticipants = (
  table: Table,
  { older, newer, truncated }: RowPairs,
  minParticipation: number,
  isIn: (row: number) => boolean,
): RowPairs => {
  const { account, shares } = table
  const contentOf = (row: number) => (shares[row] as Share).content
  const contents = new Numbers()
  const numberOf = new Int32Array(table.rows).fill(-1)
  for (const rows of [older, newer]) {
    for (const row of rows) if (numberOf[row] === -1) numberOf[row] = contents.of(contentOf(row))
  }
  // A post that is in a pair counts with all of its shares.
  const counts = new Int32Array(table.accounts)
  for (let row = 0; row < table.rows; row++) {
    if (!isIn(row)) continue
    if (numberOf[row] === -1) numberOf[row] = contents.known(contentOf(row))
    const by = account[row] as number
    if ((numberOf[row] as number) >= 0) counts[by] = (counts[by] as number) + 1
  }
  const isKept = new Uint8Array(contents.size)
  for (let row = 0; row < table.rows; row++) {
    const n = numberOf[row] as number
    if (n >= 0 && isIn(row) && (counts[account[row] as number] as number) >= minParticipation) isKept[n] = 1
  }
  const kept = new RowPairList()
  for (let n = 0; n < older.length; n++) {
    const first = older[n] as number
    const second = newer[n] as number
    if (isKept[numberOf[first] as number] || isKept[numberOf[second] as number]) kept.add(first, second)
  }
  return { older: kept.older(), newer: kept.newer(), truncated }
}
