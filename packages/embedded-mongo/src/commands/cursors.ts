import { randomBytes } from 'node:crypto'
import { maxResultSize } from '../bson/size.js'
import { Doc, RawDoc } from '../bson/values.js'
import { writeDoc } from '../bson/write.js'
import { fail, MongoError } from '../errors.js'
import { currentTimer, type Held, type Pause, pause, type Rows, type Timer, type Work } from '../slices.js'

type Cursor = {
  ns: string
  rows: Iterator<Doc | RawDoc | Pause>
  next: RawDoc | undefined
  transaction: string | undefined
  used: number
  /** The remaining `maxTimeMS` of its command. */
  leftMs: number
  view: Held | undefined
  /** The timer of the command that is reading the cursor. */
  reader: Timer | undefined
  ended: boolean
}

const idleMs = 10 * 60_000
const mostCursors = 5_000
/** Limits the rows of a batch to 16 MB together, below the largest message. */
const batchBytes = 16 * 1024 * 1024

/** The open cursors. Each contains the unread rest of a result. */
export class Cursors {
  private readonly open = new Map<bigint, Cursor>()
  /** Cursors whose first batch is being read. */
  private readonly beginning = new Set<Cursor>()

  get size() {
    return this.open.size
  }

  /** Reads the first batch of a result. Keeps a cursor for the rest unless `single`. */
  *first(
    ns: string,
    rows: Rows<Doc | RawDoc>,
    size: number,
    single: boolean,
    transaction: string | undefined,
  ): Work<Doc> {
    const timer = currentTimer()
    const cursor: Cursor = {
      ns,
      rows: rows[Symbol.iterator](),
      next: undefined,
      transaction,
      used: Date.now(),
      leftMs: Number.POSITIVE_INFINITY,
      view: timer?.view,
      reader: timer,
      ended: false,
    }
    this.beginning.add(cursor)
    const batch = yield* this.read(cursor, size)
    let id = 0n
    if (single) cursor.rows.return?.()
    else if (!batch.done) id = this.keep(cursor)
    return Doc.of({ firstBatch: batch.rows, id, ns })
  }

  *more(id: bigint, ns: string, size: number | undefined): Work<Doc> {
    const cursor = this.open.get(id)
    if (!cursor) return fail(43, `cursor id ${id} not found`)
    if (cursor.ns !== ns)
      fail(
        13,
        `Requested getMore on namespace '${ns}', but cursor belongs to a different namespace ${cursor.ns}`,
      )
    if (cursor.reader) fail(12051, `cursor id ${id} is already in use`)
    const timer = currentTimer()
    if (timer) {
      timer.view = cursor.view
      timer.deadline = performance.now() + cursor.leftMs
    }
    cursor.reader = timer
    let batch: Batch | undefined
    try {
      batch = yield* this.read(cursor, size ?? Number.POSITIVE_INFINITY)
    } finally {
      if (!batch || batch.done) this.open.delete(id)
    }
    return Doc.of({ nextBatch: batch.rows, id: batch.done ? 0n : id, ns })
  }

  /** Reads a batch. Closes the cursor if it fails or is killed meanwhile. */
  private *read(cursor: Cursor, size: number): Work<Batch> {
    let batch: Batch | undefined
    try {
      batch = yield* take(cursor, size)
      if (cursor.ended && !batch.done) {
        batch = undefined
        fail(175, 'cursor killed: its collection or index was dropped')
      }
      return batch!
    } finally {
      this.beginning.delete(cursor)
      if (!batch) cursor.rows.return?.()
      if (cursor.reader) cursor.leftMs = cursor.reader.deadline - performance.now()
      cursor.reader = undefined
      cursor.used = Date.now()
    }
  }

  kill(id: bigint): boolean {
    const cursor = this.open.get(id)
    if (cursor?.reader) cursor.reader.stop(new MongoError(237, 'operation was interrupted: cursor killed'))
    else cursor?.rows.return?.()
    return this.open.delete(id)
  }

  /** Closes the cursors of an ended transaction. */
  endTransaction(transaction: string) {
    for (const [id, cursor] of this.open) if (cursor.transaction === transaction) this.kill(id)
  }

  /** Closes the cursors over a collection whose indexes or documents are being dropped. */
  endNamespace(ns: string) {
    for (const [id, cursor] of this.open) {
      if (cursor.ns !== ns) continue
      if (cursor.reader) cursor.ended = true
      else this.kill(id)
    }
    for (const cursor of this.beginning) if (cursor.ns === ns) cursor.ended = true
  }

  /** Closes cursors that have been idle for ten minutes. */
  sweep(now = Date.now()) {
    for (const [id, cursor] of this.open) if (!cursor.reader && now - cursor.used > idleMs) this.kill(id)
  }

  private keep(cursor: Cursor): bigint {
    if (this.open.size >= mostCursors) this.kill(this.open.keys().next().value!)
    const id = randomBytes(8).readBigUInt64LE() >> 1n || 1n
    this.open.set(id, cursor)
    return id
  }
}

type Batch = { rows: RawDoc[]; done: boolean }

function* take(cursor: Cursor, size: number): Work<Batch> {
  const rows: RawDoc[] = []
  let bytes = 0
  // `batchSize: 0` opens a cursor without reading a row.
  if (size === 0) return { rows, done: false }
  for (;;) {
    const row = cursor.next ?? pull(cursor)
    if (row === pause) {
      yield pause
      continue
    }
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

const pull = (cursor: Cursor): RawDoc | Pause | undefined => {
  const step = cursor.rows.next()
  if (step.done) return undefined
  if (step.value === pause || step.value instanceof RawDoc) return step.value
  const bytes = writeDoc(step.value)
  // As in MongoDB, the limit applies to a pipeline's results, not to its intermediate documents.
  if (bytes.length > maxResultSize)
    fail(
      10334,
      `BSONObj size: ${bytes.length} (0x${bytes.length.toString(16).toUpperCase()}) is invalid. Size must be between 0 and ${maxResultSize}(16MB)`,
    )
  return new RawDoc(bytes)
}
