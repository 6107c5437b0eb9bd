import { changedFields, readDoc } from '../bson/read.js'
import { maxDocumentSize } from '../bson/size.js'
import { Doc, Regex, type Value } from '../bson/values.js'
import { writeDoc } from '../bson/write.js'
import { fail, MongoError } from '../errors.js'
import { extractKeys, numeric } from '../indexes/extract.js'
import { after, emptyArray, encodeBound, encodeKey, type KeyValue, type Range } from '../indexes/key.js'
import { merge } from '../indexes/merge.js'
import { compileFilter } from '../match/filter.js'
import { due, gathered, paced, pause, type Work } from '../slices.js'
import { type Catalog, type CollectionInfo, type IndexInfo, indexPrefix, recordPrefix } from './catalog.js'
import type { Kv } from './kv.js'
import { Sorter } from './sorter.js'

/** A stored document: its record number and its bytes. */
export type StoredDoc = { id: number; bytes: Buffer }

/** The keys of a document in one index, each with its values. */
type Keys = { index: IndexInfo; keys: Map<string, KeyValue[]>; arrays: ReadonlySet<string>; cut: number }

/** The next record number of each collection, by collection id. An aborted transaction's numbers stay unused. */
export type RecordNumbers = Map<number, number>

const numberBytes = 8

/** Appends a record number to some bytes. */
const withNumber = (start: Buffer, id: number): Buffer => {
  const bytes = Buffer.allocUnsafe(start.length + numberBytes)
  start.copy(bytes)
  bytes.writeUInt32BE(Math.floor(id / 2 ** 32), start.length)
  bytes.writeUInt32BE(id % 2 ** 32, start.length + 4)
  return bytes
}

const numberIn = (bytes: Buffer, at: number) => bytes.readUInt32BE(at) * 2 ** 32 + bytes.readUInt32BE(at + 4)

/**
 * Returns an index entry. A unique index stores the record number as the entry's value. Other indexes append it to the
 * key, because several records may share a key.
 */
const entryOf = (index: IndexInfo, key: string, id: number): { key: Buffer; value: Buffer } => {
  const start = Buffer.concat([indexPrefix(index), Buffer.from(key, 'latin1')])
  return index.unique
    ? { key: start, value: withNumber(nothing, id) }
    : { key: withNumber(start, id), value: nothing }
}

/** A key of a merged range: ordered by `lead`, then by the bytes of the key from offset `at`. */
type IndexEntry = { lead: Buffer; key: Buffer; at: number; id: number }

const compareBehind = (a: IndexEntry, b: IndexEntry) =>
  Buffer.compare(a.lead, b.lead) || a.key.compare(b.key, b.at, b.key.length, a.at, a.key.length)

/** Returns the bounds of a range in the store. */
const edges = (index: IndexInfo, { from, to }: Range) => {
  const prefix = indexPrefix(index)
  return {
    from: Buffer.concat([prefix, from]),
    to: to.length === 0 ? after(prefix) : Buffer.concat([prefix, to]),
  }
}

const nothing = Buffer.alloc(0)
/** Maximum entries of a new index that are sorted in memory. */
const buildEntries = 500_000
const none: ReadonlySet<string> = new Set()

const filters = new WeakMap<Doc, (doc: Doc) => boolean>()

/** Returns the compiled filter of a partial index, cached. */
const partialFilter = (index: IndexInfo) => {
  if (!index.filter) return undefined
  let filter = filters.get(index.filter)
  if (!filter) {
    filter = compileFilter(index.filter).matches
    filters.set(index.filter, filter)
  }
  return filter
}

const fields = new WeakMap<Doc, { indexed: readonly string[]; filtered: readonly string[] | undefined }>()

/** Returns the top-level fields of an index's keys and of its filter, cached; a nested filter's are undefined. */
const fieldsOf = ({ key, paths, filter }: IndexInfo) => {
  const known = fields.get(key)
  if (known) return known
  const filtered = [...(filter?.keys() ?? [])].map(path => path.split('.')[0]!)
  const found = {
    indexed: [...new Set(paths.map(([name]) => name!))],
    filtered: filtered.some(name => name.startsWith('$')) ? undefined : filtered,
  }
  fields.set(key, found)
  return found
}

type Changes = ReadonlyMap<string, Value[] | undefined>

/** Returns whether a change of these fields may affect a document's entries, of which an array may have thousands. */
const isAffected = (index: IndexInfo, changed: Changes): boolean => {
  const { indexed, filtered } = fieldsOf(index)
  return !filtered || [...indexed, ...filtered].some(name => changed.has(name))
}

/**
 * Returns the document with only the appended elements of an array, if these have all new keys of the index: each
 * element of an array has its own keys, unless a path selects elements by position.
 */
const withAppended = (index: IndexInfo, changed: Changes, now: Doc): Doc | undefined => {
  const { indexed, filtered } = fieldsOf(index)
  if (!filtered || filtered.some(name => changed.has(name))) return undefined
  const [name, ...others] = indexed.filter(one => changed.has(one))
  const items = name === undefined ? undefined : changed.get(name)
  if (!items || others.length > 0) return undefined
  if (index.paths.some(([first, second]) => first === name && numeric.test(second ?? ''))) return undefined
  return new Doc(now).set(name!, items)
}

/** A collection's documents and indexes, always updated together. */
export class Collection {
  readonly info: CollectionInfo
  private readonly kv: Kv
  private readonly catalog: Catalog
  private readonly numbers: RecordNumbers
  private readonly prefix: Buffer

  constructor(info: CollectionInfo, kv: Kv, catalog: Catalog, numbers: RecordNumbers) {
    this.info = info
    this.kv = kv
    this.catalog = catalog
    this.numbers = numbers
    this.prefix = recordPrefix(info)
  }

  get ns() {
    return `${this.info.db}.${this.info.name}`
  }

  get(id: number): Buffer | undefined {
    return this.kv.get(this.recordKey(id))
  }

  /** Returns a document in a buffer that the next read overwrites. */
  peek(id: number): Buffer | undefined {
    return this.kv.peek(this.recordKey(id))
  }

  *scan(reverse = false): Iterable<StoredDoc> {
    for (const { key, value } of this.kv.entries(this.prefix, after(this.prefix), reverse))
      yield { id: numberIn(key, this.prefix.length), bytes: value }
  }

  /** Yields the record numbers of the index entries in a range of key bytes after the index's prefix. */
  *indexRange(index: IndexInfo, range: Range, reverse = false): Iterable<number> {
    const { from, to } = edges(index, range)
    if (index.unique && range.exact) {
      const found = this.kv.get(from)
      if (found) yield numberIn(found, 0)
    } else if (index.unique)
      for (const { value } of this.kv.entries(from, to, reverse)) yield numberIn(value, 0)
    else for (const key of this.kv.keys(from, to, reverse)) yield numberIn(key, key.length - 8)
  }

  /**
   * Yields the record numbers of several ranges, in the order of the key bytes after the ranges' points. Counts the
   * keys that it reads: up to one per range more than it yields.
   */
  *mergedRanges(
    index: IndexInfo,
    ranges: readonly Range[],
    reverse: boolean,
    examined: { keys: number },
  ): Iterable<number> {
    const sign = reverse ? -1 : 1
    const sources = ranges.map(range => this.indexEntries(index, range, reverse, examined))
    for (const { id } of merge(sources, (a, b) => sign * compareBehind(a, b))) yield id
  }

  private *indexEntries(
    index: IndexInfo,
    range: Range,
    reverse: boolean,
    examined: { keys: number },
  ): Iterable<IndexEntry> {
    const { from, to } = edges(index, range)
    const lead = range.lead ?? nothing
    const at = indexPrefix(index).length + (range.points ?? 0)
    if (index.unique)
      for (const { key, value } of this.kv.entries(from, to, reverse)) {
        examined.keys++
        yield { lead, key, at, id: numberIn(value, 0) }
      }
    else
      for (const key of this.kv.keys(from, to, reverse)) {
        examined.keys++
        yield { lead, key, at, id: numberIn(key, key.length - 8) }
      }
  }

  /** Yields the distinct values of `path`, the index field that follows `prefix`. A missing field yields undefined. */
  *distinct(index: IndexInfo, prefix: Buffer, path: string): Iterable<Value | undefined> {
    const names = [...index.key.keys()]
    const at = names.indexOf(path)
    const parts = index.paths[at]!
    const to = prefix.length === 0 ? prefix : after(prefix)
    for (let from = prefix; ; ) {
      const [id] = this.indexRange(index, { from, to })
      const bytes = id === undefined ? undefined : this.get(id)
      if (!bytes) return
      const [[value] = []] = extractKeys(readDoc(bytes), [parts]).keys
      if (value === emptyArray) return
      const next = after(Buffer.concat([prefix, encodeBound(value, index.directions[at]!)]))
      // A missing field has the same key as null.
      yield value ?? (this.hasNull(index, { from, to: next }, path) ? null : undefined)
      from = next
    }
  }

  private hasNull(index: IndexInfo, range: Range, path: string): boolean {
    const { matches } = compileFilter(Doc.of({ [path]: Doc.of({ $type: 10 }) }))
    for (const id of this.indexRange(index, range)) if (matches(readDoc(this.get(id)!))) return true
    return false
  }

  count() {
    return this.kv.count(this.prefix, after(this.prefix))
  }

  private recordKey(id: number) {
    return withNumber(this.prefix, id)
  }

  private nextNumber() {
    let next = this.numbers.get(this.info.id)
    if (next === undefined) {
      next = 1
      for (const key of this.kv.keys(this.prefix, after(this.prefix), true)) {
        next = numberIn(key, this.prefix.length) + 1
        break
      }
    }
    this.numbers.set(this.info.id, next + 1)
    return next
  }

  /** Stores a new document. `bytes` is its encoding, if known. */
  insert(doc: Doc, bytes?: Buffer): void {
    const stored = bytes ?? writeDoc(doc)
    checkSize(stored)
    const found = this.info.indexes.map(index => keysOf(index, doc))
    for (const keys of found) this.checkUnique(keys, undefined)
    const id = this.nextNumber()
    const key = this.recordKey(id)
    this.kv.claim(key)
    this.kv.put(key, stored)
    for (const keys of found) this.addKeys(keys, id)
  }

  /** Replaces a document's content. `before.doc` is read only if an index needs it. Returns whether it changed. */
  update(before: StoredDoc & { readonly doc: Doc }, afterDoc: Doc): boolean {
    const { id, bytes } = before
    const stored = writeDoc(afterDoc)
    if (stored.equals(bytes)) return false
    checkSize(stored)
    const changed = changedFields(bytes, stored)
    const found = this.info.indexes
      .filter(index => index.name !== '_id_' && isAffected(index, changed))
      .map(index => {
        const appended = withAppended(index, changed, afterDoc)
        return appended
          ? { old: noKeys(index), now: keysOf(index, appended) }
          : { old: keysOf(index, before.doc), now: keysOf(index, afterDoc) }
      })
    const key = this.recordKey(id)
    this.kv.claim(key)
    for (const { old, now } of found) this.checkUnique(now, id, old)
    this.kv.put(key, stored)
    for (const { old, now } of found) {
      this.removeKeys(old, id, now)
      this.addKeys(now, id, old)
    }
    return true
  }

  remove(id: number, doc: Doc): void {
    const key = this.recordKey(id)
    this.kv.claim(key)
    this.kv.remove(key)
    for (const index of this.info.indexes) this.removeKeys(keysOf(index, doc), id)
  }

  /**
   * Fills a new index from the existing documents. Entries are written in their order, so that each page of the store
   * is written once. After a failure, `clear` removes the written entries.
   * @param most maximum entries in memory: a document may have thousands
   * @throws MongoError 11000 for duplicate keys
   */
  build(index: IndexInfo, most = buildEntries): void {
    const arrays = new Set<string>()
    let cut = Number.POSITIVE_INFINITY
    const sorter = new Sorter(most)
    try {
      for (const { id, bytes } of this.scan()) {
        due()
        const found = keysOf(index, readDoc(bytes))
        for (const path of found.arrays) arrays.add(path)
        cut = Math.min(cut, found.cut)
        const number = withNumber(nothing, id).toString('latin1')
        for (const key of found.keys.keys()) sorter.add(key + number)
      }
      for (const item of sorter.sorted()) {
        due()
        const end = item.length - numberBytes
        const id = numberIn(Buffer.from(item.slice(end), 'latin1'), 0)
        const { key, value } = entryOf(index, item.slice(0, end), id)
        if (index.unique && this.kv.get(key)) this.checkUnique(keysOf(index, readDoc(this.get(id)!)), id)
        this.kv.put(key, value)
      }
    } finally {
      sorter.close()
    }
    this.catalog.flag(this.info, index, { arrays, cut })
  }

  /** Removes all documents' index entries and, with `records`, the documents. */
  clear(indexes: readonly IndexInfo[], records: boolean) {
    const prefixes = indexes.map(indexPrefix)
    if (records) prefixes.push(this.prefix)
    for (const prefix of prefixes) for (const key of this.kv.keys(prefix, after(prefix))) this.kv.remove(key)
  }

  /** Compares the entries of every index with the documents. */
  *verify(): Work<{ errors: string[]; keysPerIndex: Map<string, number>; records: number }> {
    const errors: string[] = []
    const keysPerIndex = new Map<string, number>()
    const docs = yield* gathered(paced(this.scan()))
    for (const index of this.info.indexes) {
      const wanted = new Set<string>()
      const textOf = ({ key, value }: { key: Buffer; value: Buffer }) =>
        `${key.toString('latin1')}=${value.toString('latin1')}`
      for (const { id, bytes } of docs) {
        if (due()) yield pause
        for (const key of keysOf(index, readDoc(bytes)).keys.keys())
          wanted.add(textOf(entryOf(index, key, id)))
      }
      const prefix = indexPrefix(index)
      let found = 0
      for (const entry of this.kv.entries(prefix, after(prefix))) {
        if (due()) yield pause
        found++
        if (!wanted.has(textOf(entry))) errors.push(`index ${index.name} has an entry that no document has`)
      }
      if (found !== wanted.size)
        errors.push(`index ${index.name} has ${found} entries, the documents have ${wanted.size}`)
      keysPerIndex.set(index.name, found)
    }
    return { errors, keysPerIndex, records: docs.length }
  }

  private checkUnique(found: Keys, own: number | undefined, old?: Keys) {
    if (!found.index.unique) return
    const prefix = indexPrefix(found.index)
    for (const [key, tuple] of found.keys) {
      if (old?.keys.has(key)) continue
      const held = this.kv.get(Buffer.concat([prefix, Buffer.from(key, 'latin1')]))
      if (held && numberIn(held, 0) !== own) throw duplicateKey(this.ns, found.index, tuple)
    }
  }

  private addKeys(found: Keys, id: number, old?: Keys) {
    const { index } = found
    if (found.arrays.size > 0 || Number.isFinite(found.cut)) this.catalog.flag(this.info, index, found)
    for (const key of found.keys.keys()) {
      if (old?.keys.has(key)) continue
      const entry = entryOf(index, key, id)
      if (index.unique) this.kv.claim(entry.key)
      this.kv.put(entry.key, entry.value)
    }
  }

  private removeKeys(found: Keys, id: number, now?: Keys) {
    for (const key of found.keys.keys()) {
      if (now?.keys.has(key)) continue
      const entry = entryOf(found.index, key, id)
      if (found.index.unique) this.kv.claim(entry.key)
      this.kv.remove(entry.key)
    }
  }
}

const checkSize = (bytes: Buffer) => {
  if (bytes.length > maxDocumentSize)
    fail(10334, `BSONObj size: ${bytes.length} is invalid. Size must be between 0 and ${maxDocumentSize}`)
}

const noKeys = (index: IndexInfo): Keys => ({
  index,
  keys: new Map(),
  arrays: none,
  cut: Number.POSITIVE_INFINITY,
})

/** Returns a document's keys in one index, by their bytes as latin1 text. */
const keysOf = (index: IndexInfo, doc: Doc): Keys => {
  const found = noKeys(index)
  const filter = partialFilter(index)
  if (filter && !filter(doc)) return found
  const { keys, arrays } = extractKeys(doc, index.paths)
  found.arrays = arrays
  for (const tuple of keys) {
    if (index.sparse && tuple.every(value => value === undefined)) continue
    const { bytes, cut } = encodeKey(tuple, index.directions)
    found.cut = Math.min(found.cut, cut)
    found.keys.set(bytes.toString('latin1'), tuple)
  }
  return found
}

const shown = (value: Value): string => {
  if (typeof value === 'string') return JSON.stringify(value)
  if (value instanceof Doc)
    return `{ ${[...value].map(([name, one]) => `${name}: ${shown(one)}`).join(', ')} }`
  if (Array.isArray(value)) return `[ ${value.map(shown).join(', ')} ]`
  if (value instanceof Regex) return `/${value.pattern}/${value.options}`
  if (value instanceof Date) return `new Date(${value.getTime()})`
  if (value !== null && typeof value === 'object' && 'bytes' in value) {
    const hex = Buffer.from(value.bytes as Buffer).toString('hex')
    return hex.length === 24 ? `ObjectId('${hex}')` : `BinData(${hex})`
  }
  if (value !== null && typeof value === 'object' && 'value' in value) return String(value.value)
  return String(value)
}

const duplicateKey = (ns: string, index: IndexInfo, tuple: readonly KeyValue[]) => {
  const keyValue = new Doc()
  let i = 0
  for (const name of index.key.keys()) {
    const value = tuple[i++]
    keyValue.set(name, value === undefined || value === emptyArray ? null : value)
  }
  return new MongoError(
    11000,
    `E11000 duplicate key error collection: ${ns} index: ${index.name} dup key: ${shown(keyValue)}`,
    new Map<string, Value>([
      ['keyPattern', index.key],
      ['keyValue', keyValue],
    ]),
  )
}
