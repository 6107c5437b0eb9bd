import { equal } from '../bson/compare.js'
import { count as asCount, asInteger, toDouble } from '../bson/numbers.js'
import { Binary, Doc, Double, dbRefNames, isNumeric, type Value } from '../bson/values.js'
import { fail } from '../errors.js'
import { findIndex } from '../indexes/plan.js'
import { compileFilter } from '../match/filter.js'
import type { Work } from '../slices.js'
import type { CollectionInfo } from '../storage/catalog.js'
import {
  type Command,
  type Context,
  collectionName,
  docs,
  find as findCollection,
  findOrCreate,
  knownFields,
  natural,
  ok,
  open,
  optionalDoc,
} from './context.js'

const version = '8.0.0'
export const replicaSet = 'embedded'

const hello: Command = {
  writes: false,
  run(_, context) {
    return ok({
      ismaster: true,
      isWritablePrimary: true,
      helloOk: true,
      hosts: [context.address],
      setName: replicaSet,
      setVersion: 1,
      me: context.address,
      primary: context.address,
      secondary: false,
      maxBsonObjectSize: 16 * 1024 * 1024,
      maxMessageSizeBytes: 48_000_000,
      maxWriteBatchSize: 100_000,
      localTime: new Date(),
      logicalSessionTimeoutMinutes: 30,
      minWireVersion: 0,
      maxWireVersion: 25,
      readOnly: false,
    })
  },
}

const simple = (fields: () => Record<string, Value>): Command => ({ writes: false, run: () => ok(fields()) })

const serverStatus: Command = {
  writes: false,
  run: (_, context) =>
    ok({
      host: context.address,
      version,
      process: 'embedded-mongo',
      pid: BigInt(process.pid),
      uptime: new Double(process.uptime()),
      localTime: new Date(),
      globalLock: Doc.of({
        activeClients: Doc.of({
          total: context.activity.readers + context.activity.writers,
          readers: context.activity.readers,
          writers: context.activity.writers,
        }),
      }),
      network: Doc.of({ numRequests: BigInt(context.activity.requests) }),
      wiredTiger: Doc.of({
        log: Doc.of({ 'log sync operations': BigInt(context.activity.flushes) }),
      }),
      metrics: Doc.of({
        cursor: Doc.of({ open: Doc.of({ total: BigInt(context.cursors.size) }) }),
        operation: Doc.of({
          killedDueToClientDisconnect: BigInt(context.activity.endedByDisconnect),
          killedDueToMaxTimeMSExpired: BigInt(context.activity.endedByTimeLimit),
        }),
      }),
    }),
}

const createOptions = [
  'capped',
  'timeseries',
  'viewOn',
  'pipeline',
  'clusteredIndex',
  'size',
  'max',
  'validator',
  'validationLevel',
  'validationAction',
  'expireAfterSeconds',
  'changeStreamPreAndPostImages',
  'storageEngine',
  'indexOptionDefaults',
  'encryptedFields',
]

const create: Command = {
  writes: true,
  run(command, context) {
    for (const name of createOptions) {
      const value = command.get(name)
      if (value !== undefined && value !== false && value !== null)
        fail(115, `create's ${name} is not supported`)
    }
    knownFields(command, 'idIndex', 'autoIndexId', ...createOptions)
    const idKey = optionalDoc(command, 'idIndex').get('key')
    if (idKey !== undefined && !sameKey(idKey, Doc.of({ _id: 1 })))
      fail(2, "The field 'key' for an _id index must be {_id: 1}")
    if (command.get('autoIndexId') === false) fail(115, "create's autoIndexId: false is not supported")
    const name = collectionName(command)
    // Creating an existing collection succeeds outside of transactions: no options are supported that could
    // differ.
    if (context.transaction && findCollection(context, name))
      fail(48, `Collection ${context.db}.${name} already exists.`)
    findOrCreate(context, name)
    return ok()
  },
}

const drop: Command = {
  writes: true,
  run(command, context) {
    knownFields(command)
    const collection = findCollection(context, collectionName(command))
    if (!collection) return ok()
    dropCollection(context, collection.info)
    return ok({ nIndexesWas: collection.info.indexes.length, ns: collection.ns })
  },
}

const dropCollection = (context: Context, info: CollectionInfo) => {
  context.cursors.endNamespace(`${info.db}.${info.name}`)
  open(context, info).clear(info.indexes, true)
  context.catalog.remove(info)
}

const dropDatabase: Command = {
  writes: true,
  run(command, context) {
    knownFields(command)
    for (const info of context.catalog.list(context.db)) dropCollection(context, info)
    return ok({ dropped: context.db })
  },
}

const indexOptions = new Set([
  'key',
  'name',
  'unique',
  'sparse',
  'expireAfterSeconds',
  'partialFilterExpression',
  'background',
  'v',
  'hidden',
  'ns',
  'collation',
])

/** Checks an index specification and returns it as `listIndexes` shows it. */
const indexSpec = (given: Doc): Doc => {
  const key = given.get('key')
  if (!(key instanceof Doc))
    return fail(9, "The 'key' field is a required property of an index specification")
  if (key.size === 0) fail(67, 'Index keys cannot be empty.')
  if (key.size > 32) fail(67, 'Index key pattern too large: more than 32 fields')
  for (const [path, direction] of key) {
    if (path === '') fail(67, 'Index keys cannot be an empty field.')
    if (path.includes('$**')) fail(67, 'Wildcard indexes are not supported')
    if (path.split('.').includes('')) fail(67, 'Index key contains an empty field name')
    if (path.split('.').some((part, i) => part.startsWith('$') && !(i > 0 && dbRefNames.has(part))))
      fail(67, `Index key contains an illegal field name: field name starts with '$'.`)
    if (typeof direction === 'string') fail(67, `Index type '${direction}' is not supported`)
    if (!isNumeric(direction) || toDouble(direction) === 0 || Number.isNaN(toDouble(direction)))
      fail(67, 'Values in v:2 index key pattern must be numbers other than 0')
  }
  const name = given.get('name')
  if (typeof name !== 'string')
    return fail(9, "The 'name' field is a required property of an index specification")
  if (name === '' || name.includes('\0')) fail(67, 'index name cannot be empty or contain a null byte')
  for (const option of given.keys())
    if (!indexOptions.has(option))
      fail(
        197,
        `The field '${option}' is not valid for an index specification, or not supported. Specification: ${name}`,
      )
  const collation = given.get('collation')
  if (collation instanceof Doc && collation.get('locale') !== 'simple')
    fail(67, 'Collations other than "simple" are not supported')
  for (const option of ['unique', 'sparse', 'hidden']) {
    const value = given.get(option)
    if (value !== undefined && typeof value !== 'boolean' && !isNumeric(value))
      fail(14, `The field '${option}' has the wrong type`)
  }
  if (given.has('v') && asInteger(given.get('v')) !== 2)
    fail(67, 'Index versions other than 2 are not supported')
  const expire = given.get('expireAfterSeconds')
  if (expire !== undefined) {
    if (!isNumeric(expire) || toDouble(expire) < 0 || toDouble(expire) > 2147483647)
      fail(67, 'TTL index expireAfterSeconds must be a number between 0 and 2147483647')
    if (key.size > 1) fail(67, 'TTL indexes are single-field indexes, compound indexes do not support TTL.')
    if (key.has('_id'))
      fail(197, "The field 'expireAfterSeconds' is not valid for an _id index specification")
  }
  const filter = given.get('partialFilterExpression')
  if (filter !== undefined) {
    if (!(filter instanceof Doc)) return fail(14, "The field 'partialFilterExpression' must be an object")
    checkPartial(filter)
    compileFilter(filter)
    if (truthyOption(given, 'sparse')) fail(67, "cannot mix 'partialFilterExpression' and 'sparse' options")
    if (key.size === 1 && key.has('_id')) fail(67, '_id index cannot be a partial index')
  }
  const spec = Doc.of({ v: 2, key, name })
  for (const option of ['unique', 'sparse', 'hidden']) if (truthyOption(given, option)) spec.set(option, true)
  if (expire !== undefined) spec.set('expireAfterSeconds', Math.trunc(toDouble(expire as number)))
  if (filter !== undefined) spec.set('partialFilterExpression', filter)
  return spec
}

const truthyOption = (spec: Doc, name: string) => {
  const value = spec.get(name)
  return value === true || (isNumeric(value) && toDouble(value) !== 0)
}

const partialOperators = new Set([
  '$eq',
  '$gt',
  '$gte',
  '$lt',
  '$lte',
  '$type',
  '$exists',
  '$in',
  '$and',
  '$or',
])

const checkPartial = (filter: Doc) => {
  for (const [name, value] of filter) {
    if (name.startsWith('$') && !partialOperators.has(name))
      fail(67, `Expression not supported in partial index: ${name}`)
    if (name === '$exists' && value !== true)
      fail(67, 'Expression not supported in partial index: $exists: false')
    for (const one of Array.isArray(value) ? value : [value]) if (one instanceof Doc) checkPartial(one)
  }
}

const sameOptions = (a: Doc, b: Doc) =>
  ['unique', 'sparse', 'expireAfterSeconds', 'partialFilterExpression', 'hidden'].every(name =>
    equal(a.get(name), b.get(name)),
  )

const sameKey = (a: Value | undefined, b: Value | undefined) =>
  a instanceof Doc && b instanceof Doc && [...a.keys()].join('\0') === [...b.keys()].join('\0') && equal(a, b)

const createIndexes: Command = {
  writes: true,
  run(command, context) {
    knownFields(command, 'indexes', 'commitQuorum', 'ignoreUnknownIndexOptions')
    const quorum = asInteger(command.get('commitQuorum') ?? 1)
    if (quorum !== undefined && quorum > 1)
      fail(278, 'Commit quorum cannot be satisfied with the current replica set configuration')
    if (command.get('ignoreUnknownIndexOptions') === true)
      fail(303, 'ignoreUnknownIndexOptions is not supported')
    const specs = docs(command, 'indexes').map(indexSpec)
    if (specs.length === 0) fail(2, 'Must specify at least one index to create')
    const name = collectionName(command)
    const existed = findCollection(context, name) !== undefined
    if (context.transaction && findCollection(context, name)?.count())
      fail(
        263,
        `Cannot create new indexes on non-empty collection ${context.db}.${name} in a multi-document transaction.`,
      )
    let { info } = findOrCreate(context, name)
    const before = info.indexes.length
    for (const spec of specs) {
      if (alreadyThere(info, spec)) continue
      const index = context.catalog.addIndex(info, spec)
      info = context.catalog.get(context.db, name)!
      try {
        open(context, info).build(index)
      } catch (error) {
        // Indexes that were built earlier are not removed.
        open(context, info).clear([index], false)
        context.catalog.save({ ...info, indexes: info.indexes.filter(one => one.id !== index.id) })
        throw error
      }
      info = context.catalog.get(context.db, name)!
    }
    return ok({
      numIndexesBefore: before,
      numIndexesAfter: info.indexes.length,
      createdCollectionAutomatically: !existed,
      note: info.indexes.length === before ? 'all indexes already exist' : undefined,
    })
  },
}

const alreadyThere = (info: CollectionInfo, spec: Doc): boolean => {
  const name = spec.get('name') as string
  if (sameKey(spec.get('key'), Doc.of({ _id: 1 }))) return true
  if (name === '_id_') fail(2, "The index name '_id_' is reserved for the _id index")
  for (const { spec: old } of info.indexes) {
    const named = old.get('name') === name
    if (
      sameKey(old.get('key'), spec.get('key')) &&
      equal(old.get('partialFilterExpression'), spec.get('partialFilterExpression'))
    ) {
      if (!named) fail(85, `Index already exists with a different name: ${old.get('name') as string}`)
      if (!sameOptions(old, spec))
        fail(
          85,
          `An equivalent index already exists with the same name but different options. Requested index: ${name}`,
        )
      return true
    }
    if (named)
      fail(
        86,
        `An existing index has the same name as the requested index. When index names are not specified, they are auto generated and can cause conflicts. Please refer to our documentation. Requested index: ${name}`,
      )
  }
  if (info.indexes.length >= 64) fail(67, 'add index fails, too many indexes')
  return false
}

const existing = (context: Context, name: string) =>
  findCollection(context, name) ?? fail(26, `ns does not exist: ${context.db}.${name}`)

const dropIndexes: Command = {
  writes: true,
  run(command, context) {
    knownFields(command, 'index')
    const collection = findCollection(context, collectionName(command)) ?? fail(26, 'ns not found')
    const { info } = collection
    const wanted = command.get('index')
    const all = info.indexes.filter(index => index.name !== '_id_')
    const dropped =
      wanted === '*'
        ? all
        : (Array.isArray(wanted) ? wanted : [wanted]).map(one => {
            const index = one === undefined ? undefined : findIndex(info, one)
            if (!index) return fail(27, `index not found with name [${String(one)}]`)
            return index.name === '_id_' ? fail(72, 'cannot drop _id index') : index
          })
    context.cursors.endNamespace(collection.ns)
    collection.clear(dropped, false)
    context.catalog.save({ ...info, indexes: info.indexes.filter(index => !dropped.includes(index)) })
    return ok({ nIndexesWas: info.indexes.length })
  },
}

function* cursorReply(context: Context, command: Doc, ns: string, rows: Doc[]): Work<Doc> {
  return ok({
    cursor: yield* context.cursors.first(
      ns,
      rows,
      natural(optionalDoc(command, 'cursor'), 'batchSize') ?? Number.POSITIVE_INFINITY,
      false,
      context.transaction,
    ),
  })
}

const listIndexes: Command = {
  writes: false,
  run(command, context) {
    for (const option of ['includeBuildUUIDs', 'includeIndexBuildInfo'])
      if (truthyOption(command, option)) fail(303, `listIndexes' ${option} is not supported`)
    knownFields(command, 'cursor', 'includeBuildUUIDs', 'includeIndexBuildInfo')
    const { info, ns } = existing(context, collectionName(command))
    return cursorReply(
      context,
      command,
      ns,
      info.indexes.map(index => index.spec),
    )
  },
}

const listCollections: Command = {
  writes: false,
  run(command, context) {
    knownFields(command, 'filter', 'nameOnly', 'authorizedCollections', 'cursor')
    const filter = compileFilter(optionalDoc(command, 'filter'))
    const rows = context.catalog
      .list(context.db)
      .map(info =>
        Doc.of({
          name: info.name,
          type: 'collection',
          options: info.options,
          info: Doc.of({ readOnly: false, uuid: new Binary(4, info.uuid) }),
          idIndex: info.indexes[0]!.spec,
        }),
      )
      .filter(row => filter.matches(row))
      .map(row =>
        command.get('nameOnly') === true ? Doc.of({ name: row.get('name'), type: row.get('type') }) : row,
      )
    return cursorReply(context, command, `${context.db}.$cmd.listCollections`, rows)
  },
}

const listDatabases: Command = {
  writes: false,
  run(command, context) {
    knownFields(command, 'filter', 'nameOnly', 'authorizedDatabases')
    if (context.db !== 'admin') fail(13, 'listDatabases may only be run against the admin database.')
    const filter = compileFilter(optionalDoc(command, 'filter'))
    const names = [...new Set(context.catalog.list().map(info => info.db))].sort()
    const nameOnly = command.get('nameOnly') === true
    const databases = names
      .map(name =>
        Doc.of({ name, sizeOnDisk: nameOnly ? undefined : 0n, empty: nameOnly ? undefined : false }),
      )
      .filter(row => filter.matches(row))
    return ok({ databases, ...(nameOnly ? {} : { totalSize: 0n, totalSizeMb: 0n }) })
  },
}

/** Compares a collection's index entries with its documents. */
const validate: Command = {
  writes: false,
  *run(command, context) {
    for (const option of ['metadata', 'checkBSONConformance'])
      if (truthyOption(command, option)) fail(303, `validate's ${option} is not supported`)
    knownFields(command, 'full', 'metadata', 'checkBSONConformance')
    const collection = existing(context, collectionName(command))
    const { errors, keysPerIndex, records } = yield* collection.verify()
    return ok({
      ns: collection.ns,
      nrecords: asCount(records),
      nIndexes: collection.info.indexes.length,
      keysPerIndex: new Doc([...keysPerIndex].map(([name, keys]) => [name, asCount(keys)])),
      valid: errors.length === 0,
      errors,
    })
  },
}

export const adminCommands: [string, Command][] = [
  ['hello', hello],
  ['ismaster', hello],
  ['isMaster', hello],
  ['ping', simple(() => ({}))],
  [
    'buildInfo',
    simple(() => ({
      version,
      versionArray: version.split('.').map(Number).concat(0),
      gitVersion: 'embedded',
      modules: [],
      bits: 64,
      debug: false,
      maxBsonObjectSize: 16 * 1024 * 1024,
    })),
  ],
  ['buildinfo', simple(() => ({ version }))],
  [
    'connectionStatus',
    simple(() => ({ authInfo: Doc.of({ authenticatedUsers: [], authenticatedUserRoles: [] }) })),
  ],
  ['serverStatus', serverStatus],
  ['create', create],
  ['drop', drop],
  ['dropDatabase', dropDatabase],
  ['createIndexes', createIndexes],
  ['dropIndexes', dropIndexes],
  ['deleteIndexes', dropIndexes],
  ['listIndexes', listIndexes],
  ['listCollections', listCollections],
  ['listDatabases', listDatabases],
  ['validate', validate],
]
