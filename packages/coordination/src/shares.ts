/** One post of an account that has an object: a link, a text, an image, a hashtag. */
export interface Share {
  object: string
  account: string
  /** The post. */
  content: string
  /** Seconds since 1970, whole or not. */
  at: number
}

/** Shares as numbers: what is compared a million times is no string. Rows are the shares' places. */
export interface Table {
  shares: readonly Share[]
  rows: number
  at: Float64Array<ArrayBuffer>
  /** Number of each row's account, and how many there are. */
  account: Int32Array<ArrayBuffer>
  accounts: number
  /** 1 where the post is the object itself. */
  isItself: Uint8Array<ArrayBuffer>
  /** Rows by object, in the order in which the objects come first: those of object n from `starts[n]` to `starts[n + 1]`. */
  byObject: Int32Array<ArrayBuffer>
  starts: Int32Array<ArrayBuffer>
}

/** Numbers of strings, in the order in which they come first. */
export class Numbers {
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

  /** The number that a string has already; -1 for none. */
  known(text: string): number {
    return this.#numbers.get(text) ?? -1
  }
}

/** Makes the table. A share whose time is no number has no place in time and belongs to no object. */
export function tableOf(shares: readonly Share[]): Table {
  const rows = shares.length
  const at = new Float64Array(rows)
  const account = new Int32Array(rows)
  const object = new Int32Array(rows)
  const isItself = new Uint8Array(rows)
  const accounts = new Numbers()
  const objects = new Numbers()
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
    const place = next[n] as number
    byObject[place] = row
    next[n] = place + 1
  }
  return { shares, rows, at, account, accounts: accounts.size, isItself, byObject, starts }
}
