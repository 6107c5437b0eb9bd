import { fail } from '../errors.js'
import type { Catalog } from './catalog.js'
import { type Entry, inChunks, type Kv, type Snapshot, type Store, sizeOf } from './kv.js'

/**
 * The store for a read-only command: the current state until the command's first pause, then a snapshot, which is
 * released at the end of the command. A cursor has no snapshot between two batches.
 */
export class View implements Kv {
  private readonly store: Store
  private readonly present: () => Catalog
  private held: { snapshot: Snapshot; catalog: Catalog } | undefined

  constructor(store: Store, present: () => Catalog) {
    this.store = store
    this.present = present
  }

  get catalog(): Catalog {
    return this.held?.catalog ?? this.present()
  }

  hold() {
    this.held ??= { snapshot: this.store.snapshot(), catalog: this.present().fork(this) }
  }

  release() {
    this.held?.snapshot.done()
    this.held = undefined
  }

  get(key: Buffer) {
    return this.store.get(key, this.held?.snapshot)
  }

  peek(key: Buffer) {
    return this.store.peek(key, this.held?.snapshot)
  }

  entries(start: Buffer, end: Buffer, reverse = false): Iterable<Entry> {
    return inChunks(
      (from, to, limit) => this.store.readEntries(from, to, limit, reverse, this.held?.snapshot),
      entry => entry.key,
      sizeOf,
      start,
      end,
      reverse,
    )
  }

  keys(start: Buffer, end: Buffer, reverse = false): Iterable<Buffer> {
    return inChunks(
      (from, to, limit) => this.store.readKeys(from, to, limit, reverse, this.held?.snapshot),
      key => key,
      key => key.length,
      start,
      end,
      reverse,
    )
  }

  count(start: Buffer, end: Buffer) {
    return this.store.count(start, end, this.held?.snapshot)
  }

  put(): never {
    return fail(1, 'a command that only reads tried to write')
  }

  remove(): never {
    return this.put()
  }

  claim(): never {
    return this.put()
  }
}
