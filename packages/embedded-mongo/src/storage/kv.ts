import { open, type RootDatabase, type Transaction as Snapshot } from 'lmdb'
import { MongoError, writeConflict } from '../errors.js'
import { DataFolderError, format, formatKey } from './folder.js'

/** An ordered key-value store of bytes. Ranges include `start` and exclude `end`. */
export interface Kv {
  get(key: Buffer): Buffer | undefined
  /** Returns a value in a buffer that the next read overwrites. Faster than `get`, which copies it. */
  peek(key: Buffer): Buffer | undefined
  put(key: Buffer, value: Buffer): void
  remove(key: Buffer): void
  entries(start: Buffer, end: Buffer, reverse?: boolean): Iterable<Entry>
  /** Yields the keys of a range, without reading the values. */
  keys(start: Buffer, end: Buffer, reverse?: boolean): Iterable<Buffer>
  count(start: Buffer, end: Buffer): number
  /**
   * Registers a write for conflict detection.
   * @throws MongoError 112 (WriteConflict) if another transaction wrote first
   */
  claim(name: Buffer): void
}

export type Entry = { key: Buffer; value: Buffer }
export type { Snapshot }

const firstChunk = 16
const largestChunk = 512
/** Target size of a chunk: chunks of large documents have fewer items, so that each read stays short. */
const chunkBytes = 1024 * 1024
/** Slots of LMDB's reader table: one for each reading connection, and for each open transaction. */
const mostReaders = 2_200

/**
 * Reads a range in growing chunks, each with a separate short read. A cursor that is paused between two chunks does not
 * pin the store's old pages.
 */
export function* inChunks<T>(
  read: (start: Buffer, end: Buffer, limit: number) => T[],
  keyOf: (item: T) => Buffer,
  bytesOf: (item: T) => number,
  start: Buffer,
  end: Buffer,
  reverse: boolean,
): Generator<T> {
  let from = start
  let to = end
  for (let size = firstChunk; ; ) {
    const items = read(from, to, size)
    yield* items
    const last = items.at(-1)
    if (last === undefined || items.length < size) return
    if (reverse) to = keyOf(last)
    else from = Buffer.concat([keyOf(last), Buffer.from([0])])
    let bytes = 1
    for (const item of items) bytes += bytesOf(item)
    size = Math.min(size * 4, largestChunk, Math.max(1, Math.floor((chunkBytes * items.length) / bytes)))
  }
}

/** `getBinaryFast` takes the options of `get`, which its type omits. */
type PeekInSnapshot = {
  getBinaryFast(key: Buffer, options?: { transaction: Snapshot }): Buffer | undefined
}

export const sizeOf = (entry: Entry) => entry.value.length

/** The folder's LMDB store. Writes are only allowed inside `write`. */
export class Store implements Kv {
  private readonly db: RootDatabase<Buffer, Buffer>
  private sequence = 0
  private readonly lastWrites = new Map<string, number>()
  private readonly claims = new Map<string, Transaction>()
  private readonly transactions = new Set<Transaction>()

  constructor(path: string, durable: boolean) {
    this.db = open<Buffer, Buffer>({
      path,
      keyEncoding: 'binary',
      encoding: 'binary',
      cache: false,
      noSync: !durable,
      overlappingSync: false,
      maxReaders: mostReaders,
    })
    const found = this.get(formatKey)
    if (!found) this.write(() => this.put(formatKey, format))
    else if (!found.equals(format)) {
      this.db.close()
      throw new DataFolderError(
        `The data folder ${path} was made by another version of this database. Choose another folder, or remove it.`,
      )
    }
  }

  /** Runs `work` in one write transaction, which is on disk when it returns. An exception rolls it back. */
  write<T>(work: () => T): T {
    const made = this.db.transactionSync(work)
    // Later reads within this turn of the event loop must see the changes.
    this.db.resetReadTxn()
    return made
  }

  get(key: Buffer, snapshot?: Snapshot) {
    return snapshot ? this.db.get(key, { transaction: snapshot }) : this.db.get(key)
  }

  peek(key: Buffer, snapshot?: Snapshot) {
    return (this.db as PeekInSnapshot).getBinaryFast(key, snapshot && { transaction: snapshot })
  }

  put(key: Buffer, value: Buffer) {
    this.db.putSync(key, value)
  }

  remove(key: Buffer) {
    this.db.removeSync(key)
  }

  entries(start: Buffer, end: Buffer, reverse = false, snapshot?: Snapshot): Iterable<Entry> {
    return inChunks(
      (from, to, limit) => this.readEntries(from, to, limit, reverse, snapshot),
      entry => entry.key,
      sizeOf,
      start,
      end,
      reverse,
    )
  }

  keys(start: Buffer, end: Buffer, reverse = false): Iterable<Buffer> {
    return inChunks(
      (from, to, limit) => this.readKeys(from, to, limit, reverse),
      key => key,
      key => key.length,
      start,
      end,
      reverse,
    )
  }

  readEntries(start: Buffer, end: Buffer, limit: number, reverse: boolean, snapshot?: Snapshot): Entry[] {
    return [
      ...this.db.getRange({
        ...edges(start, end, reverse),
        limit,
        ...(snapshot && { transaction: snapshot }),
      }),
    ]
  }

  readKeys(start: Buffer, end: Buffer, limit: number, reverse: boolean, snapshot?: Snapshot): Buffer[] {
    return [
      ...this.db.getKeys({
        ...edges(start, end, reverse),
        limit,
        ...(snapshot && { transaction: snapshot }),
      }),
    ]
  }

  count(start: Buffer, end: Buffer, snapshot?: Snapshot) {
    return this.db.getKeysCount({ start, end, ...(snapshot && { transaction: snapshot }) })
  }

  /** Returns a snapshot of the store, valid until `done()`. */
  snapshot(): Snapshot {
    return this.db.useReadTransaction()
  }

  claim(name: Buffer) {
    if (this.transactions.size > 0) this.lastWrites.set(name.toString('latin1'), ++this.sequence)
  }

  /** Starts a transaction on a snapshot of the current state. */
  begin(): Transaction {
    const transaction = new Transaction(this, this.snapshot(), this.sequence)
    this.transactions.add(transaction)
    return transaction
  }

  /**
   * Claims a name for the transaction.
   * @throws MongoError 112 (WriteConflict) if another write came first
   */
  claimFor(transaction: Transaction, name: string) {
    const owner = this.claims.get(name)
    const isHeld = owner && owner !== transaction && !owner.endIfAbandoned()
    if (isHeld || this.changedSince(name, transaction.started)) throw writeConflict()
    this.claims.set(name, transaction)
    transaction.claimed.add(name)
  }

  /**
   * Checks the names that the transaction claimed.
   * @throws MongoError 112 (WriteConflict) if one has changed since the transaction began
   */
  check(transaction: Transaction) {
    for (const name of transaction.claimed)
      if (this.changedSince(name, transaction.started)) throw writeConflict()
  }

  private changedSince(name: string, sequence: number) {
    return (this.lastWrites.get(name) ?? 0) > sequence
  }

  /** Writes the transaction's changes. Must run inside `write`. */
  apply(transaction: Transaction) {
    for (const [key, value] of transaction.changes()) {
      if (value) this.put(key, value)
      else this.remove(key)
    }
    for (const name of transaction.claimed) this.lastWrites.set(name, ++this.sequence)
  }

  end(transaction: Transaction) {
    this.transactions.delete(transaction)
    for (const name of transaction.claimed) this.claims.delete(name)
    if (this.transactions.size === 0) this.lastWrites.clear()
    transaction.release()
  }

  async close() {
    for (const transaction of this.transactions) this.end(transaction)
    await this.db.close()
  }
}

const edges = (start: Buffer, end: Buffer, reverse: boolean) =>
  reverse ? { start: end, end: start, reverse, exclusiveStart: true, inclusiveEnd: true } : { start, end }

/** Maximum names that are inserted individually; more are sorted together. */
const fewNames = 16

/** A transaction: a snapshot of the store, overlaid with the transaction's own changes. */
export class Transaction implements Kv {
  readonly started: number
  readonly claimed = new Set<string>()
  /** Ends the transaction if its client has disconnected. Returns whether it ended. */
  endIfAbandoned = () => false
  private readonly store: Store
  private readonly snapshot: Snapshot
  private readonly changed = new Map<string, Buffer | undefined>()
  /** The sorted names of `changed`, without those in `unsorted`, which are sorted at the first range read. */
  private sorted: string[] = []
  private unsorted: string[] = []
  private released = false

  constructor(store: Store, snapshot: Snapshot, started: number) {
    this.store = store
    this.snapshot = snapshot
    this.started = started
  }

  get(key: Buffer) {
    const name = key.toString('latin1')
    return this.changed.has(name) ? this.changed.get(name) : this.store.get(key, this.snapshot)
  }

  peek(key: Buffer) {
    return this.get(key)
  }

  put(key: Buffer, value: Buffer) {
    this.set(key.toString('latin1'), value)
  }

  remove(key: Buffer) {
    this.set(key.toString('latin1'), undefined)
  }

  private set(name: string, value: Buffer | undefined) {
    if (!this.changed.has(name)) this.unsorted.push(name)
    this.changed.set(name, value)
  }

  *entries(start: Buffer, end: Buffer, reverse = false): Iterable<Entry> {
    const own = this.ownNames(start.toString('latin1'), end.toString('latin1'))
    if (reverse) own.reverse()
    let next = 0
    const before = (name: string, key: string) => (reverse ? name > key : name < key)
    for (const entry of this.store.entries(start, end, reverse, this.snapshot)) {
      const key = entry.key.toString('latin1')
      for (; next < own.length && before(own[next]!, key); next++) yield* this.ownEntry(own[next]!)
      if (own[next] === key) yield* this.ownEntry(own[next++]!)
      else if (!this.changed.has(key)) yield entry
    }
    for (; next < own.length; next++) yield* this.ownEntry(own[next]!)
  }

  private *ownEntry(name: string): Iterable<Entry> {
    const value = this.changed.get(name)
    if (value) yield { key: Buffer.from(name, 'latin1'), value }
  }

  private ownNames(start: string, end: string): string[] {
    this.sort()
    return this.sorted.slice(this.position(start), this.position(end))
  }

  private sort() {
    if (this.unsorted.length > fewNames) this.sorted = [...this.sorted, ...this.unsorted].sort()
    else for (const name of this.unsorted) this.sorted.splice(this.position(name), 0, name)
    this.unsorted = []
  }

  /** Returns the number of sorted names before `name` (binary search). */
  private position(name: string): number {
    let from = 0
    let to = this.sorted.length
    while (from < to) {
      const middle = (from + to) >> 1
      if (this.sorted[middle]! < name) from = middle + 1
      else to = middle
    }
    return from
  }

  *keys(start: Buffer, end: Buffer, reverse = false): Iterable<Buffer> {
    for (const entry of this.entries(start, end, reverse)) yield entry.key
  }

  count(start: Buffer, end: Buffer) {
    let found = 0
    for (const _ of this.keys(start, end)) found++
    return found
  }

  claim(name: Buffer) {
    if (this.released)
      throw new MongoError(251, 'Transaction has ended', new Map(), ['TransientTransactionError'])
    this.store.claimFor(this, name.toString('latin1'))
  }

  *changes(): Iterable<[Buffer, Buffer | undefined]> {
    for (const [name, value] of this.changed) yield [Buffer.from(name, 'latin1'), value]
  }

  /** Returns the ids of the collections with changed records, from bytes 1 to 4 of the record keys. */
  written(): Set<number> {
    const ids = new Set<number>()
    for (const name of this.claimed)
      if (name.charCodeAt(0) === 2) ids.add(Buffer.from(name.slice(1, 5), 'latin1').readUInt32BE())
    return ids
  }

  release() {
    if (!this.released) this.snapshot.done()
    this.released = true
  }
}
