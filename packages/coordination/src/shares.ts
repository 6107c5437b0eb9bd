/** A post of an account that shares an object: a link, a text, an image, a hashtag. */
export interface Share {
  object: string
  account: string
  /** Id of the post. */
  content: string
  /** Seconds since 1970, possibly fractional. */
  at: number
}

/** Shares in columns of numbers, which compare faster than strings. Rows are indexes into `shares`. */
export interface Table {
  shares: readonly Share[]
  rows: number
  at: Float64Array<ArrayBuffer>
  /** Account number of each row; -1 for a row without a finite time. */
  account: Int32Array<ArrayBuffer>
  /** Number of accounts. */
  accounts: number
  /** 1 where the post is the object itself. */
  isItself: Uint8Array<ArrayBuffer>
  /** Rows grouped by object, in the order of first appearance: object n has `starts[n]` up to `starts[n + 1]`. */
  byObject: Int32Array<ArrayBuffer>
  starts: Int32Array<ArrayBuffer>
}

/** Assigns consecutive numbers to strings, in the order of first appearance. */
export class StringIds {
  readonly #numbers = new Map<string, number>()

  get size(): number {
    return this.#numbers.size
  }

  of(text: string): number {
    const known = this.#numbers.get(text)
    if (known !== undefined) return known
    const next = this.#numbers.size
    this.#numbers.set(text, next)
    return next
  }

  /** Returns the number of a string; -1 if it has none. */
  find(text: string): number {
    return this.#numbers.get(text) ?? -1
  }
}

/** Builds the table. A share without a finite time has no account and no object. */
export function tableOf(shares: readonly Share[]): Table {
  const rows = shares.length
  const at = new Float64Array(rows)
  const account = new Int32Array(rows)
  const object = new Int32Array(rows)
  const isItself = new Uint8Array(rows)
  const accounts = new StringIds()
  const objects = new StringIds()
  for (let row = 0; row < rows; row++) {
    const share = shares[row] as Share
    at[row] = share.at
    account[row] = Number.isFinite(share.at) ? accounts.of(share.account) : -1
    object[row] = Number.isFinite(share.at) ? objects.of(share.object) : -1
    isItself[row] = share.object === share.content ? 1 : 0
  }
  const starts = new Int32Array(objects.size + 1)
  for (const n of object) if (n >= 0) starts[n + 1] = (starts[n + 1] as number) + 1
  for (let n = 0; n < objects.size; n++) starts[n + 1] = (starts[n + 1] as number) + (starts[n] as number)
  const next = starts.slice()
  const byObject = new Int32Array(starts[objects.size] as number)
  for (let row = 0; row < rows; row++) {
    const n = object[row] as number
    if (n < 0) continue
    const position = next[n] as number
    byObject[position] = row
    next[n] = position + 1
  }
  return { shares, rows, at, account, accounts: accounts.size, isItself, byObject, starts }
}
