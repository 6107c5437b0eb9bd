import { type Share, StringIds, type Table } from './shares.js'

export interface DetectOptions {
  /** Maximum seconds between two shares of an object that form a pair. */
  windowS: number
  /** Minimum shares of an account, and minimum shares of its paired posts. */
  minParticipation: number
  /** Whether to keep pairs of an account with itself, of a post with itself, and of a post that is the object. */
  loops?: boolean
  /** Maximum pairs of one object. Beyond it, each share keeps the pairs with the latest shares before it. */
  maxPairsPerObject?: number
  /** Maximum pairs of all objects: later objects have none. */
  maxPairs?: number
}

export const PAIRS_PER_OBJECT_MAX = 200_000
export const PAIRS_MAX = 5_000_000

/** Pairs as row numbers of a table: older share, newer share. */
export interface RowPairs {
  older: Int32Array
  newer: Int32Array
  /** One row of each object with more pairs than the limits allow. */
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

const checkOptions = ({ windowS, minParticipation }: DetectOptions): void => {
  if (!(Number.isFinite(windowS) && windowS >= 0))
    throw new RangeError('windowS must be a number of seconds from 0')
  if (!(minParticipation >= 0)) throw new RangeError('minParticipation must be a number from 0')
}

/**
 * Finds pairs of shares of one object within the window, with the times in `at`. The semantics are those of CooRTweet
 * 2.1 (Righetti and Balluff, 2025), which filters participation twice.
 */
export function rowPairs(table: Table, at: Float64Array, options: DetectOptions): RowPairs {
  checkOptions(options)
  const { minParticipation } = options
  const counts = new Int32Array(table.accounts)
  for (const account of table.account) if (account >= 0) counts[account] = (counts[account] as number) + 1
  const isIncluded = (row: number) => {
    const account = table.account[row] as number
    return account >= 0 && (counts[account] as number) >= minParticipation
  }
  const found = pairsWithin(table, at, options, isIncluded)
  return minParticipation > 1 ? filterByParticipation(table, found, minParticipation, isIncluded) : found
}

const pairsWithin = (
  table: Table,
  at: Float64Array,
  { windowS, loops = false, maxPairsPerObject = PAIRS_PER_OBJECT_MAX, maxPairs = PAIRS_MAX }: DetectOptions,
  isIncluded: (row: number) => boolean,
): RowPairs => {
  const { account, byObject, isItself, shares, starts } = table
  const pairs = new RowPairList()
  const truncated: number[] = []
  let group = new Int32Array(64)
  /** For each position in the group, the last earlier position of another account. */
  let otherBefore = new Int32Array(64)
  /** For each position, the number of earlier shares that form a pair with it. */
  let partners = new Int32Array(64)
  /** For each account, the number of its shares in the window. */
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
      if (isIncluded(row) && (loops || !isItself[row])) group[size++] = row
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

/** Returns the maximum pairs of each share with earlier ones for which the total is at most `max`; at least 1. */
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

/** Sorts rows by time, then by account in the order of first appearance, then by row. */
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

/** Returns the pairs with a post whose account has at least `minParticipation` shares of paired posts. */
const filterByParticipation = (
  table: Table,
  { older, newer, truncated }: RowPairs,
  minParticipation: number,
  isIncluded: (row: number) => boolean,
): RowPairs => {
  const { account, shares } = table
  const contentOf = (row: number) => (shares[row] as Share).content
  const contents = new StringIds()
  const numberOf = new Int32Array(table.rows).fill(-1)
  for (const rows of [older, newer]) {
    for (const row of rows) if (numberOf[row] === -1) numberOf[row] = contents.of(contentOf(row))
  }
  // A paired post counts with all of its shares.
  const counts = new Int32Array(table.accounts)
  for (let row = 0; row < table.rows; row++) {
    if (!isIncluded(row)) continue
    if (numberOf[row] === -1) numberOf[row] = contents.find(contentOf(row))
    const by = account[row] as number
    if ((numberOf[row] as number) >= 0) counts[by] = (counts[by] as number) + 1
  }
  const isKept = new Uint8Array(contents.size)
  for (let row = 0; row < table.rows; row++) {
    const n = numberOf[row] as number
    if (n >= 0 && isIncluded(row) && (counts[account[row] as number] as number) >= minParticipation)
      isKept[n] = 1
  }
  const kept = new RowPairList()
  for (let n = 0; n < older.length; n++) {
    const first = older[n] as number
    const second = newer[n] as number
    if (isKept[numberOf[first] as number] || isKept[numberOf[second] as number]) kept.add(first, second)
  }
  return { older: kept.older(), newer: kept.newer(), truncated }
}
