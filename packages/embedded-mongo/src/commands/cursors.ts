import { randomBytes } from 'node:crypto'
import { maxResultSize } from '../bson/size.js'
import { Doc, RawDoc } from '../bson/values.js'
import { writeDoc } from '../bson/write.js'
import { fail } from '../errors.js'

type Cursor = {
  ns: string
  rows: Iterator<Doc | RawDoc>
  next: RawDoc | undefined
  transaction: string | undefined
  used: number
}

const idleMs = 10 * 60_000
const mostCursors = 5_000
/** A batch stays below the largest message: rows of at most 16 MB together. */
const batchBytes = 16 * 1024 * 1024

/** The open cursors: each the rest of a result that is still being read. */
export class Cursors {
  private readonly open = new Map<bigint, Cursor>()

  /** Takes the first batch of a result; keeps a cursor for the rest unless `single`. */
  first(
    ns: string,
    rows: Iterable<Doc | RawDoc>,
    size: number,
    single: boolean,
    transaction: string | undefined,
  ): Doc {
    const cursor: Cursor = {
      ns,
      rows: rows[Symbol.iterator](),
      next: undefined,
      transaction,
      used: Date.now(),
    }
    const batch = take(cursor, size)
    let id = 0n
    if (single) cursor.rows.return?.()
    else if (!batch.done) id = this.keep(cursor)
    return Doc.of({ firstBatch: batch.rows, id, ns })
  }

  more(id: bigint, ns: string, size: number | undefined): Doc {
    const cursor = this.open.get(id)
    if (!cursor) return fail(43, `cursor id ${id} not found`)
    if (cursor.ns !== ns)
      fail(
        13,
        `Requested getMore on namespace '${ns}', but cursor belongs to a different namespace ${cursor.ns}`,
      )
    cursor.used = Date.now()
    this.open.delete(id)
    const batch = take(cursor, size ?? Number.POSITIVE_INFINITY)
    if (!batch.done) this.open.set(id, cursor)
    return Doc.of({ nextBatch: batch.rows, id: batch.done ? 0n : id, ns })
  }

  kill(id: bigint): boolean {
    const cursor = this.open.get(id)
    cursor?.rows.return?.()
    return this.open.delete(id)
  }

  /** Drops the cursors of a transaction that has ended. */
  endTransaction(transaction: string) {
    for (const [id, cursor] of this.open) if (cursor.transaction === transaction) this.kill(id)
  }

  /** Drops the cursors over a collection whose indexes or documents go away under them. */
  endNamespace(ns: string) {
    for (const [id, cursor] of this.open) if (cursor.ns === ns) this.kill(id)
  }

  /** Drops cursors that nobody has read for ten minutes. */
  sweep(now = Date.now()) {
    for (const [id, cursor] of this.open) if (now - cursor.used > idleMs) this.kill(id)
  }

  get size() {
    return this.open.size
  }

  private keep(cursor: Cursor): bigint {
    if (this.open.size >= mostCursors) this.kill(this.open.keys().next().value!)
    const id = randomBytes(8).readBigUInt64LE() >> 1n || 1n
    this.open.set(id, cursor)
    return id
  }
}

const take = (cursor: Cursor, size: number): { rows: RawDoc[]; done: boolean } => {
  const rows: RawDoc[] = []
  let bytes = 0
  for (;;) {
    const row = cursor.next ?? pull(cursor)
    cursor.next = undefined
    if (!row) return { rows, done: true }
    if (rows.length >= size || (rows.length > 0 && bytes + row.bytes.length > batchBytes)) {
      cursor.next = row
      return { rows, done: false }
    }
    rows.push(row)
    bytes += row.bytes.length
  }
}

const pull = (cursor: Cursor): RawDoc | undefined => {
  const step = cursor.rows.next()
  if (step.done) return undefined
  if (step.value instanceof RawDoc) return step.value
  const bytes = writeDoc(step.value)
  // MongoDB's documents may be larger on their way through a pipeline, but not at its end.
  if (bytes.length > maxResultSize)
    fail(
      10334,
      `BSONObj size: ${bytes.length} (0x${bytes.length.toString(16).toUpperCase()}) is invalid. Size must be between 0 and ${maxResultSize}(16MB)`,
    )
  return new RawDoc(bytes)
}
