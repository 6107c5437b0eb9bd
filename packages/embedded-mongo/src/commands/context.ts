import { commandVariables } from '../aggregate/expressions.js'
import type { Variables } from '../aggregate/variables.js'
import { asInteger } from '../bson/numbers.js'
import { Doc, Double, typeName, type Value } from '../bson/values.js'
import type { ClusterClock } from '../clock.js'
import { fail } from '../errors.js'
import type { Work } from '../slices.js'
import type { Catalog, CollectionInfo } from '../storage/catalog.js'
import { Collection, type RecordNumbers } from '../storage/collection.js'
import type { Kv } from '../storage/kv.js'
import type { Cursors } from './cursors.js'
import type { Progress } from './progress.js'

/** The context in which a command runs. */
export type Context = {
  db: string
  kv: Kv
  catalog: Catalog
  numbers: RecordNumbers
  cursors: Cursors
  /** The id of the command's transaction; undefined outside of transactions. */
  transaction: string | undefined
  /** The cluster clock, for timestamps that the server sets. */
  clock: ClusterClock
  /** This server's address, as `hello` reports it. */
  address: string
  /** The numbers of other running commands and of interrupted commands, for `serverStatus`. */
  activity: Activity
  /** The progress of a retryable write, for a retry after a restart. */
  progress?: Progress | undefined
}

export type Activity = {
  readonly readers: number
  readonly writers: number
  endedByDisconnect: number
  endedByTimeLimit: number
  /** Commands received. */
  requests: number
  /** Write transactions stored: each takes one flush to disk. */
  flushes: number
}

export type Command = {
  /** Whether the command may change the store. It then runs inside a write transaction. */
  writes: boolean
  /** Returns the reply, or sliced work that returns it. */
  run(command: Doc, context: Context): Doc | Work<Doc>
}

/** Creates a successful reply; MongoDB's `ok` is a double. */
export const ok = (fields: Record<string, Value | undefined> = {}): Doc =>
  Doc.of({ ...fields, ok: new Double(1) })

const generic = new Set([
  '$db',
  'lsid',
  'txnNumber',
  'autocommit',
  'startTransaction',
  'readConcern',
  'writeConcern',
  '$readPreference',
  '$clusterTime',
  'comment',
  'maxTimeMS',
  'apiVersion',
  'apiStrict',
  'apiDeprecationErrors',
])

/**
 * The commands of MongoDB's Stable API version 1, without those for transactions and sessions (see the
 * engine).
 */
const stable = new Set([
  'aggregate',
  'bulkWrite',
  'count',
  'create',
  'createIndexes',
  'delete',
  'drop',
  'dropDatabase',
  'dropIndexes',
  'explain',
  'find',
  'findAndModify',
  'getMore',
  'hello',
  'insert',
  'killCursors',
  'listCollections',
  'listDatabases',
  'listIndexes',
  'ping',
  'update',
])

/** Rejects unknown API versions (322) and, with `apiStrict`, commands outside the Stable API (323). */
export const checkApi = (command: Doc) => {
  const version = command.get('apiVersion')
  if (version === undefined) {
    if (command.has('apiStrict') || command.has('apiDeprecationErrors'))
      fail(322, 'Provided apiStrict or apiDeprecationErrors without passing apiVersion')
    return
  }
  if (version !== '1') fail(322, 'API version must be "1"')
  const [name] = command.keys()
  if (command.get('apiStrict') === true && !stable.has(name!))
    fail(323, `Provided apiStrict:true, but the command ${name} is not in API Version 1`)
}

/** Rejects unknown fields (40415) and collations (only binary order is supported). */
export const knownFields = (command: Doc, ...names: string[]) => {
  const [command0] = command.keys()
  for (const [name, value] of command) {
    if (name === command0 || generic.has(name)) continue
    if (name === 'collation') checkCollation(value)
    else if (!names.includes(name)) fail(40415, `BSON field '${command0}.${name}' is an unknown field.`)
  }
}

export const checkCollation = (value: Value | undefined) => {
  if (value === undefined || (value instanceof Doc && (value.size === 0 || value.get('locale') === 'simple')))
    return
  fail(303, 'Collations other than "simple" are not supported')
}

export const text = (command: Doc, name: string): string => {
  const value = command.get(name)
  return typeof value === 'string'
    ? value
    : fail(14, `BSON field '${name}' is the wrong type '${typeName(value)}', expected type 'string'`)
}

export const optionalDoc = (command: Doc, name: string): Doc => {
  const value = command.get(name) ?? new Doc()
  return value instanceof Doc
    ? value
    : fail(14, `BSON field '${name}' is the wrong type '${typeName(value)}', expected type 'object'`)
}

export const list = (command: Doc, name: string): Value[] => {
  const value = command.get(name)
  if (value === undefined) return fail(40414, `BSON field '${name}' is missing but a required field`)
  return Array.isArray(value)
    ? value
    : fail(14, `BSON field '${name}' is the wrong type '${typeName(value)}', expected type 'array'`)
}

export const docs = (command: Doc, name: string): Doc[] =>
  list(command, name).map(one =>
    one instanceof Doc
      ? one
      : fail(14, `BSON field '${name}' is the wrong type '${typeName(one)}', expected type 'object'`),
  )

/** Returns a non-negative integer field, or undefined. */
export const natural = (command: Doc, name: string): number | undefined => {
  const value = command.get(name)
  if (value === undefined || value === null) return undefined
  const number = asInteger(value)
  if (number === undefined)
    return fail(
      14,
      `BSON field '${name}' is the wrong type '${typeName(value)}', expected types '[long, int, decimal, double']`,
    )
  return number < 0
    ? fail(51024, `BSON field '${name}' value must be >= 0, actual value '${number}'`)
    : number
}

/** Returns the name of a command's collection: the value of its first field. */
export const collectionName = (command: Doc): string => {
  const [name, value] = command.entries().next().value!
  if (typeof value !== 'string')
    return fail(73, `collection name has invalid type ${typeName(value)} in ${name}`)
  return checkName(value)
}

export const checkName = (name: string): string => {
  if (name === '' || name.startsWith('.') || name.endsWith('.') || name.includes('\0') || name.includes('$'))
    fail(73, `Invalid collection name: ${name}`)
  if (name.length > 255) fail(73, 'Fully qualified namespace is too long')
  return name
}

export const find = (context: Context, name: string): Collection | undefined => {
  const info = context.catalog.get(context.db, name)
  return info && open(context, info)
}

export const open = (context: Context, info: CollectionInfo) =>
  new Collection(info, context.kv, context.catalog, context.numbers)

/** Returns the collection of that name; creates it if it does not exist. */
export const findOrCreate = (context: Context, name: string): Collection => {
  const found = find(context, name)
  if (found) return found
  if (name.startsWith('system.')) fail(73, `Invalid system namespace: ${context.db}.${name}`)
  const other = context.catalog.sameButCase(context.db)
  if (other)
    fail(
      13297,
      `db already exists with different case already have: [${other}] trying to create [${context.db}]`,
    )
  return open(context, context.catalog.create(context.db, name))
}

/** Returns the variables of a command: `$$NOW` and its `let`. */
export const variablesOf = (command: Doc): Variables => commandVariables(optionalDoc(command, 'let'))
