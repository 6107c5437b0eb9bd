import { randomBytes } from 'node:crypto'
import { readDoc } from '../bson/read.js'
import { Binary, Doc, type Value } from '../bson/values.js'
import { writeDoc } from '../bson/write.js'
import type { Kv } from './kv.js'

/** The first byte of the store's keys. */
export const space = { meta: 0, collection: 1, record: 2, index: 3, session: 4 } as const

export type IndexInfo = {
  readonly id: number
  readonly name: string
  readonly key: Doc
  readonly paths: readonly (readonly string[])[]
  readonly directions: readonly number[]
  readonly unique: boolean
  readonly sparse: boolean
  readonly filter: Doc | undefined
  readonly expireAfterSeconds: number | undefined
  readonly hidden: boolean
  /**
   * The paths that are arrays in at least one document: index paths or prefixes of them (MongoDB's `multiKeyPaths`).
   * They restrict combined bounds and sorting.
   */
  readonly arrays: ReadonlySet<string>
  /**
   * Minimum bytes of the first field's value among the keys that were truncated to the store's size limit; infinite
   * without such keys. The index provides a sort order only for shorter first values.
   */
  readonly cut: number
  /** The specification that `listIndexes` returns. */
  readonly spec: Doc
}

export type CollectionInfo = {
  readonly id: number
  readonly db: string
  readonly name: string
  readonly uuid: Buffer
  readonly options: Doc
  readonly indexes: readonly IndexInfo[]
}

type State = Pick<IndexInfo, 'arrays' | 'cut'>

const prefix = (kind: number, id: number): Buffer => {
  const key = Buffer.alloc(5)
  key[0] = kind
  key.writeUInt32BE(id, 1)
  return key
}

export const recordPrefix = (info: CollectionInfo) => prefix(space.record, info.id)
export const indexPrefix = (info: IndexInfo) => prefix(space.index, info.id)

const collectionKey = (db: string, name: string) =>
  Buffer.from(`${String.fromCharCode(space.collection)}${db}\0${name}`)
const nextIdKey = Buffer.from([space.meta, 1])

/** Returns whether a document may have several keys in the index, or in one of its fields. */
export const isMultikey = (index: IndexInfo, field?: number): boolean =>
  field === undefined ? index.arrays.size > 0 : arraysOf(index, field).length > 0

/** Returns the arrays on the path of one of the index's fields, the outermost first. */
export const arraysOf = (index: IndexInfo, field: number): string[] =>
  index.arrays.size === 0 ? [] : prefixesOf(index.paths[field]!).filter(path => index.arrays.has(path))

/** Returns the prefixes of a path: `a`, `a.b` and `a.b.c` for `a.b.c`. */
const prefixesOf = (parts: readonly string[]): string[] =>
  parts.map((_, i) => parts.slice(0, i + 1).join('.'))

const initial: State = { arrays: new Set(), cut: Number.POSITIVE_INFINITY }

/** Returns the union of two states: flags of an index are never removed. */
const union = (a: State, b: State): State => ({
  arrays: [...b.arrays].every(path => a.arrays.has(path)) ? a.arrays : new Set([...a.arrays, ...b.arrays]),
  cut: Math.min(a.cut, b.cut),
})

export const indexInfo = (id: number, spec: Doc, state: State = initial): IndexInfo => {
  const key = spec.get('key') as Doc
  return {
    id,
    name: spec.get('name') as string,
    key,
    paths: [...key.keys()].map(path => path.split('.')),
    directions: [...key.values()].map(direction =>
      Number((direction as { value?: number }).value ?? direction) < 0 ? -1 : 1,
    ),
    unique: spec.get('unique') === true || spec.get('name') === '_id_',
    sparse: spec.get('sparse') === true,
    filter: spec.get('partialFilterExpression') as Doc | undefined,
    expireAfterSeconds: spec.has('expireAfterSeconds') ? Number(spec.get('expireAfterSeconds')) : undefined,
    hidden: spec.get('hidden') === true,
    arrays: state.arrays,
    cut: state.cut,
    spec,
  }
}

/**
 * The collections and indexes, persisted in the store and mirrored in memory. The mirror is immutable: a
 * change replaces it, so a transaction's catalog can share it.
 */
export class Catalog {
  private readonly kv: Kv
  private collections: ReadonlyMap<string, CollectionInfo>
  /** Shared with the catalogs of transactions, so that ids are unique. */
  private readonly ids: { next: number }
  /** Namespaces that this catalog changed, for a transaction's commit. */
  readonly changed = new Set<string>()
  /** The collections at the creation of this catalog. */
  private readonly started: ReadonlyMap<string, CollectionInfo>

  private constructor(kv: Kv, collections: ReadonlyMap<string, CollectionInfo>, ids: { next: number }) {
    this.kv = kv
    this.collections = collections
    this.started = collections
    this.ids = ids
  }

  static load(kv: Kv): Catalog {
    const collections = new Map<string, CollectionInfo>()
    for (const { value } of kv.entries(
      Buffer.from([space.collection]),
      Buffer.from([space.collection + 1]),
    )) {
      const info = parse(readDoc(value))
      collections.set(`${info.db}.${info.name}`, info)
    }
    const next = kv.get(nextIdKey)
    return new Catalog(kv, collections, { next: next ? next.readUInt32BE() : 1 })
  }

  /** Creates the catalog of a transaction: starts with the current collections, and writes its changes to `kv`. */
  fork(kv: Kv): Catalog {
    return new Catalog(kv, this.collections, this.ids)
  }

  get(db: string, name: string) {
    return this.collections.get(`${db}.${name}`)
  }

  list(db?: string): CollectionInfo[] {
    const all = [...this.collections.values()]
    return (db === undefined ? all : all.filter(info => info.db === db)).sort((a, b) =>
      a.name < b.name ? -1 : 1,
    )
  }

  /** Returns an existing database name that differs in case only, which MongoDB rejects. */
  sameButCase(db: string) {
    return this.list().find(info => info.db !== db && info.db.toLowerCase() === db.toLowerCase())?.db
  }

  create(db: string, name: string, options = new Doc()): CollectionInfo {
    const id = this.id()
    const idIndex = indexInfo(this.id(), Doc.of({ v: 2, key: Doc.of({ _id: 1 }), name: '_id_' }))
    const info = { id, db, name, uuid: randomBytes(16), options, indexes: [idIndex] }
    this.save(info)
    return info
  }

  addIndex(info: CollectionInfo, spec: Doc): IndexInfo {
    const index = indexInfo(this.id(), spec)
    this.save({ ...info, indexes: [...info.indexes, index] })
    return index
  }

  save(info: CollectionInfo) {
    const ns = `${info.db}.${info.name}`
    this.collections = new Map(this.collections).set(ns, info)
    this.changed.add(ns)
    this.kv.put(collectionKey(info.db, info.name), writeDoc(format(info)))
  }

  remove(info: CollectionInfo) {
    const ns = `${info.db}.${info.name}`
    const left = new Map(this.collections)
    left.delete(ns)
    this.collections = left
    this.changed.add(ns)
    this.kv.remove(collectionKey(info.db, info.name))
  }

  /** Records that an index contains keys of arrays or truncated keys, unless that is recorded. */
  flag(info: CollectionInfo, index: IndexInfo, found: State) {
    const now = this.get(info.db, info.name)
    const known = now?.indexes.find(one => one.id === index.id)
    if (!now || !known) return
    const state = union(known, found)
    if (state.arrays === known.arrays && state.cut === known.cut) return
    this.save({ ...now, indexes: now.indexes.map(one => (one === known ? { ...one, ...state } : one)) })
  }

  /**
   * Returns whether a transaction can commit: false if a collection that it changed or wrote to was replaced since it
   * began, or its indexes were changed.
   */
  canAdopt(fork: Catalog, written: ReadonlySet<number>): boolean {
    const shape = (info: CollectionInfo | undefined) =>
      info && `${info.id}:${info.indexes.map(index => index.id).join()}`
    const known = new Map([...fork.started].map(([ns, info]) => [ns, shape(info)]))
    for (const ns of fork.changed) if (shape(this.collections.get(ns)) !== known.get(ns)) return false
    for (const [ns, info] of fork.started)
      if (written.has(info.id) && shape(this.collections.get(ns)) !== known.get(ns)) return false
    return true
  }

  /** Applies a transaction's changes to this catalog. Index flags set since the transaction began stay set. */
  adopt(fork: Catalog) {
    for (const ns of fork.changed) {
      const adopted = fork.collections.get(ns)
      const current = this.collections.get(ns)
      if (adopted) {
        const flags = new Map(current?.indexes.map(index => [index.id, index]))
        this.save({
          ...adopted,
          indexes: adopted.indexes.map(index => ({
            ...index,
            ...union(index, flags.get(index.id) ?? initial),
          })),
        })
      } else if (current) this.remove(current)
    }
    this.writeNextId()
  }

  private id() {
    const id = this.ids.next++
    this.writeNextId()
    return id
  }

  private writeNextId() {
    const bytes = Buffer.alloc(4)
    bytes.writeUInt32BE(this.ids.next)
    this.kv.put(nextIdKey, bytes)
  }
}

const format = (info: CollectionInfo): Doc =>
  Doc.of({
    id: info.id,
    db: info.db,
    name: info.name,
    uuid: new Binary(4, info.uuid),
    options: info.options,
    indexes: info.indexes.map(index =>
      Doc.of({
        id: index.id,
        multikey: isMultikey(index),
        arrays: [...index.arrays],
        cut: index.cut < initial.cut && index.cut,
        spec: index.spec,
      }),
    ),
  })

const parse = (doc: Doc): CollectionInfo => ({
  id: doc.get('id') as number,
  db: doc.get('db') as string,
  name: doc.get('name') as string,
  uuid: (doc.get('uuid') as Binary).bytes,
  options: doc.get('options') as Doc,
  indexes: (doc.get('indexes') as Value[]).map(one => {
    const stored = one as Doc
    const index = indexInfo(stored.get('id') as number, stored.get('spec') as Doc)
    return { ...index, arrays: arraysIn(stored, index), cut: cutIn(stored.get('cut')) }
  }),
})

/** Reads `cut`. Earlier versions stored only whether a key was truncated: its size is unknown, so 0. */
const cutIn = (stored: Value | undefined): number =>
  stored === false ? initial.cut : typeof stored === 'number' ? stored : 0

/**
 * Reads the arrays of a stored index. Earlier versions stored only whether it is multikey: all its paths may be arrays.
 */
const arraysIn = (stored: Doc, index: IndexInfo): ReadonlySet<string> => {
  const arrays = stored.get('arrays')
  if (Array.isArray(arrays)) return new Set(arrays as string[])
  return stored.get('multikey') === true ? new Set(index.paths.flatMap(prefixesOf)) : initial.arrays
}
