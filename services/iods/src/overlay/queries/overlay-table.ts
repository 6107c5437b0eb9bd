import { OVERLAY_ROW_BYTES } from '@iodine/known-iods'

/** Bytes of the id at the start of a row. */
const ID_BYTES = 12

/** A new or changed IOD. */
export interface Change {
  /** Absent for a value that no text can contain. */
  row?: Uint8Array | undefined
  /** Milliseconds; 0 without a revision. */
  revision: number
}

type Row = Change & { row: Uint8Array }

/** Compares the id of the row at an index of a table with that of another row. */
const compareIds = (rows: Uint8Array, index: number, row: Uint8Array): number => {
  const at = index * OVERLAY_ROW_BYTES
  for (let n = 0; n < ID_BYTES; n++) {
    const difference = (rows[at + n] as number) - (row[n] as number)
    if (difference !== 0) return difference
  }
  return 0
}

/** Compares two rows by id; of one id the newer row comes first. */
const byId = (a: Row, b: Row): number => compareIds(a.row, 0, b.row) || b.revision - a.revision

/** Returns the capacity for a number of rows, with a reserve: growing copies all rows. */
const capacityFor = (count: number): number => Math.ceil(count * 1.2) + 1_000

/** Rows of the overlay, sorted by id, with their revisions: 42 bytes an IOD. */
export class OverlayTable {
  #rows: Uint8Array
  #revisions: Float64Array
  #count = 0
  #revision = 0
  #sum = 0

  /** @param expected approximate number of rows */
  constructor(expected = 0) {
    const size = capacityFor(expected)
    this.#rows = new Uint8Array(size * OVERLAY_ROW_BYTES)
    this.#revisions = new Float64Array(size)
  }

  /** Largest revision, also of IODs without a row. */
  get revision(): number {
    return this.#revision
  }

  /** Identifier of the contents, unique to each state: no revision decreases, and each change raises one. */
  get state(): string {
    return `${this.#count}-${this.#revision}-${this.#sum.toString(36)}`
  }

  /** All rows. The next change overwrites them. */
  get rows(): Uint8Array {
    return this.#rows.subarray(0, this.#count * OVERLAY_ROW_BYTES)
  }

  /** Inserts rows and replaces older ones. */
  put(changes: readonly Change[]): void {
    for (const { revision } of changes) this.#revision = Math.max(this.#revision, revision)
    const given = changes
      .filter((change): change is Row => change.row !== undefined)
      .sort(byId)
      .filter(({ row }, n, all) => n === 0 || compareIds(row, 0, (all[n - 1] as Row).row) !== 0)
    const added: { change: Row; at: number }[] = []
    for (const change of given) {
      const at = this.#indexOf(change.row)
      const isThere = at < this.#count && compareIds(this.#rows, at, change.row) === 0
      if (!isThere) added.push({ change, at })
      else if (change.revision >= (this.#revisions[at] as number)) this.#set(at, change)
    }
    this.#reserve(this.#count + added.length)
    let end = this.#count
    this.#count += added.length
    for (const [n, { change, at }] of [...added.entries()].reverse()) {
      this.#move(at, end, n + 1)
      this.#revisions[at + n] = 0
      this.#set(at + n, change)
      end = at
    }
  }

  /** Returns the rows with a later revision; undefined if there are more than `max`. */
  after(revision: number, max: number): Uint8Array | undefined {
    const found: number[] = []
    for (let n = 0; n < this.#count; n++) {
      if ((this.#revisions[n] as number) > revision) found.push(n)
      if (found.length > max) return undefined
    }
    const rows = new Uint8Array(found.length * OVERLAY_ROW_BYTES)
    for (const [to, n] of found.entries())
      rows.set(
        this.#rows.subarray(n * OVERLAY_ROW_BYTES, (n + 1) * OVERLAY_ROW_BYTES),
        to * OVERLAY_ROW_BYTES,
      )
    return rows
  }

  /** Returns the number of rows with a smaller id. */
  #indexOf(row: Uint8Array): number {
    let [from, to] = [0, this.#count]
    while (from < to) {
      const middle = (from + to) >>> 1
      if (compareIds(this.#rows, middle, row) < 0) from = middle + 1
      else to = middle
    }
    return from
  }

  #set(at: number, { row, revision }: Row): void {
    this.#sum = (this.#sum + revision - (this.#revisions[at] as number)) >>> 0
    this.#rows.set(row, at * OVERLAY_ROW_BYTES)
    this.#revisions[at] = revision
  }

  /** Moves the rows from `from` to before `to` back by `by` rows. */
  #move(from: number, to: number, by: number): void {
    this.#revisions.copyWithin(from + by, from, to)
    this.#rows.copyWithin((from + by) * OVERLAY_ROW_BYTES, from * OVERLAY_ROW_BYTES, to * OVERLAY_ROW_BYTES)
  }

  #reserve(count: number): void {
    if (count <= this.#revisions.length) return
    const size = capacityFor(count)
    const [rows, revisions] = [this.#rows, this.#revisions]
    this.#rows = new Uint8Array(size * OVERLAY_ROW_BYTES)
    this.#rows.set(rows)
    this.#revisions = new Float64Array(size)
    this.#revisions.set(revisions)
  }
}
