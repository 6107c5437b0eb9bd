import { ObjectId as NewId } from 'bson'
import { truthy } from '../aggregate/operator.js'
import { compileProjection } from '../aggregate/project.js'
import { Variables } from '../aggregate/variables.js'
import { count as asCount } from '../bson/numbers.js'
import { readDoc } from '../bson/read.js'
import { Doc, Double, ObjectId, Regex, typeName, type Value } from '../bson/values.js'
import { fail, isInterruption, MongoError } from '../errors.js'
import { type Condition, compileFilter, type Position } from '../match/filter.js'
import { due, pause, pauses, type Work } from '../slices.js'
import type { Collection } from '../storage/collection.js'
import {
  compileUpdate,
  fillTimestamps,
  idFirst,
  type Now,
  type Update,
  upsertSeed,
} from '../update/update.js'
import {
  type Command,
  type Context,
  checkCollation,
  checkName,
  collectionName,
  docs,
  find as findCollection,
  findOrCreate,
  knownFields,
  list,
  natural,
  ok,
  optionalDoc,
  variablesOf,
} from './context.js'
import { MatchedDoc, pipelineContext, type Query, select } from './find.js'
import { Progress } from './progress.js'

/** Checks a new document and moves `_id` to the front; generates a missing one. */
const withId = (doc: Doc): Doc => {
  const id = doc.get('_id')
  if (id === undefined) return idFirst(new Doc(doc).set('_id', new ObjectId(Buffer.from(new NewId().id))))
  checkId(id)
  return idFirst(doc)
}

/** Prepares a document for an insert: adds `_id` and fills empty timestamps. */
const insertable = (doc: Doc, context: Context): Doc =>
  fillTimestamps(withId(doc), () => context.clock.tick())

const checkId = (id: Value) => {
  if (Array.isArray(id) || id instanceof Regex) fail(53, `The '_id' value cannot be of type ${typeName(id)}`)
  if (id instanceof Doc)
    for (const name of id.keys())
      if (name.startsWith('$'))
        fail(52, `_id fields may not contain '$'-prefixed fields: ${name} is not valid for storage.`)
}

/** Returns the `writeErrors` entry of one statement. Conflicts and time limits fail the whole command. */
const statementError = (error: unknown, index: number): Doc => {
  if (!(error instanceof MongoError) || isInterruption(error)) throw error
  const made = Doc.of({ index, code: error.code })
  for (const [name, value] of error.extra) made.set(name, value)
  return made.set('errmsg', error.message)
}

/** Runs the remaining statements sequentially, with pauses. Stops at the first error if ordered. */
function* each<T>(
  statements: readonly T[],
  ordered: boolean,
  progress: Progress,
  run: (statement: T, index: number) => Work<void> | undefined,
): Work<void> {
  while (progress.done < statements.length) {
    const index = progress.done
    try {
      if (index > 0 && due()) yield pause
      const work = run(statements[index]!, index)
      if (work) yield* work
    } catch (error) {
      progress.errors.push(statementError(error, index))
      if (ordered) return
    }
    progress.done++
  }
}

/** Looks a collection up again after each pause: it may have a new index, or have been dropped. */
const current = <T>(find: () => T) => {
  let at = -1
  let found: T
  return (): T => {
    if (at !== pauses()) found = find()
    at = pauses()
    return found
  }
}

const errorsOf = ({ errors }: Progress) => (errors.length > 0 ? errors : undefined)

const batch = (statements: Doc[]): Doc[] => {
  if (statements.length === 0 || statements.length > 100_000)
    fail(16, `Write batch sizes must be between 1 and 100000. Got ${statements.length} operations.`)
  return statements
}

const orderedOf = (command: Doc) => command.get('ordered') !== false

const insert: Command = {
  writes: true,
  *run(command, context) {
    knownFields(command, 'documents', 'ordered', 'bypassDocumentValidation')
    const documents = batch(docs(command, 'documents'))
    const name = collectionName(command)
    const collection = current(() => findOrCreate(context, name))
    const progress = context.progress ?? new Progress()
    // The collection is created even if no document can be stored.
    collection()
    yield* each(documents, orderedOf(command), progress, doc => {
      collection().insert(insertable(doc, context))
      progress.add('n', 1)
      return undefined
    })
    return ok({ n: progress.count('n'), writeErrors: errorsOf(progress) })
  },
}

type UpdateStatement = {
  filter: Doc
  update: Value
  multi: boolean
  upsert: boolean
  arrayFilters: readonly Value[]
  hint: Value | undefined
  sort: Doc
  variables: Variables
}

const queryOf = (
  statement: { filter: Doc; hint: Value | undefined; sort?: Doc; variables: Variables },
  limit: number,
): Query => ({
  filter: statement.filter,
  sort: statement.sort ?? new Doc(),
  skip: 0,
  limit,
  hint: statement.hint,
  variables: statement.variables,
})

/** Adds the constants of an update statement to the variables. Only a pipeline may use them. */
const withConstants = (variables: Variables, statement: Doc, name: string): Variables => {
  const constants = optionalDoc(statement, name)
  if (constants.size === 0) return variables
  const pipeline = statement.get('u') ?? statement.get('updateMods')
  if (!Array.isArray(pipeline)) fail(51198, 'Constant values may only be specified for pipeline updates')
  return new Variables(variables, constants)
}

type Updated = {
  matched: number
  modified: number
  upserted: Value | undefined
  before: MatchedDoc | undefined
  after: Doc | undefined
}

/** Applies one update statement. `after` is the last changed document. */
function* runUpdate(context: Context, name: string, statement: UpdateStatement): Work<Updated> {
  const now = () => context.clock.tick()
  const query = queryOf(statement, statement.multi ? 0 : 1)
  const update = compileUpdate(
    statement.update,
    pipelineContext(context, query.variables),
    statement.arrayFilters,
  )
  if (statement.multi && statement.sort.size > 0) fail(9, 'Cannot specify sort with multi=true')
  if (statement.multi && update.kind === 'replacement')
    fail(9, 'multi update is not supported for replacement-style update')
  const result: Updated = {
    matched: 0,
    modified: 0,
    upserted: undefined,
    before: undefined,
    after: undefined,
  }
  yield* forEachFound(context, name, query, (collection, found) => {
    result.before ??= found
    result.matched++
    result.after = change(collection, found, update, now)
    if (result.after) result.modified++
  })
  if (result.matched === 0 && statement.upsert) {
    result.after = upsert(findOrCreate(context, name), statement.filter, update, now)
    result.upserted = result.after.get('_id')!
  }
  return result
}

/**
 * Changes the documents of a query. All matches are found before the first change, so that no document is changed
 * twice. After a pause, each document is read again, so that writes of other commands are not lost.
 */
function* forEachFound(
  context: Context,
  name: string,
  query: Query,
  apply: (collection: Collection, found: MatchedDoc) => void,
): Work<void> {
  const condition = compileFilter(query.filter, { variables: query.variables })
  const collection = current(() => findCollection(context, name))
  const one = query.limit === 1
  for (let again = true; again; ) {
    again = false
    const started = collection()
    if (!started) return
    const before = pauses()
    const found = new Map<number, MatchedDoc>()
    for (const row of select(started, { ...query, thorough: true })) {
      if (row === pause) yield pause
      else if (!found.has(row.id)) found.set(row.id, row)
    }
    for (const row of found.values()) {
      if (due()) yield pause
      const now = collection()
      if (now?.info.id !== started.info.id) return
      const still = pauses() === before ? row : stillFound(now, row, condition)
      if (still) apply(now, still)
      else again = one
    }
  }
}

/** Reads a match again after a pause; undefined if it was removed or no longer matches. */
const stillFound = (
  collection: Collection,
  found: MatchedDoc,
  condition: Condition,
): MatchedDoc | undefined => {
  const bytes = collection.get(found.id)
  if (!bytes || bytes.equals(found.bytes)) return bytes && found
  const now = new MatchedDoc(found.id, bytes, {})
  return condition.matches(now.doc, now.position) ? now : undefined
}

/** Changes one document; undefined if the update had no effect. */
const change = (collection: Collection, found: MatchedDoc, update: Update, now: Now): Doc | undefined => {
  const after = update.apply(readDoc(found.bytes), { index: found.position.index, now })
  checkId(after.get('_id')!)
  return collection.update(found, after) ? after : undefined
}

const upsert = (collection: Collection, filter: Doc, update: Update, now: Now): Doc => {
  const seed = upsertSeed(filter, update.kind === 'replacement')
  const made = withId(update.apply(seed, { inserting: true, now }))
  collection.insert(made)
  return made
}

const checkFields = (statement: Doc, where: string, names: readonly string[]) => {
  for (const [name, value] of statement) {
    if (name === 'collation') checkCollation(value)
    else if (!names.includes(name)) fail(40415, `BSON field '${where}.${name}' is an unknown field.`)
  }
}

const update: Command = {
  writes: true,
  *run(command, context) {
    knownFields(command, 'updates', 'ordered', 'bypassDocumentValidation', 'let')
    const name = collectionName(command)
    const variables = variablesOf(command)
    const progress = context.progress ?? new Progress()
    yield* each(
      batch(docs(command, 'updates')),
      orderedOf(command),
      progress,
      function* (statement, index): Work<void> {
        checkFields(statement, 'update.updates', [
          'q',
          'u',
          'multi',
          'upsert',
          'arrayFilters',
          'hint',
          'c',
          'sort',
          'sampleId',
        ])
        const result = yield* runUpdate(context, name, {
          filter: optionalDoc(statement, 'q'),
          update:
            statement.get('u') ??
            fail(40414, "BSON field 'update.updates.u' is missing but a required field"),
          multi: statement.get('multi') === true,
          upsert: statement.get('upsert') === true,
          arrayFilters: statement.has('arrayFilters') ? list(statement, 'arrayFilters') : [],
          hint: statement.get('hint'),
          sort: optionalDoc(statement, 'sort'),
          variables: withConstants(variables, statement, 'c'),
        })
        if (result.upserted !== undefined) progress.rows.push(Doc.of({ index, _id: result.upserted }))
        progress.add('n', result.matched + (result.upserted === undefined ? 0 : 1))
        progress.add('nModified', result.modified)
      },
    )
    return ok({
      n: progress.count('n'),
      nModified: progress.count('nModified'),
      upserted: progress.rows.length > 0 ? progress.rows : undefined,
      writeErrors: errorsOf(progress),
    })
  },
}

function* runDelete(
  context: Context,
  name: string,
  statement: { filter: Doc; hint: Value | undefined; multi: boolean; variables: Variables },
): Work<number> {
  const query = queryOf(statement, statement.multi ? 0 : 1)
  let n = 0
  yield* forEachFound(context, name, query, (collection, { id, doc }) => {
    collection.remove(id, doc)
    n++
  })
  return n
}

const remove: Command = {
  writes: true,
  *run(command, context) {
    knownFields(command, 'deletes', 'ordered', 'let')
    const name = collectionName(command)
    const variables = variablesOf(command)
    const progress = context.progress ?? new Progress()
    yield* each(
      batch(docs(command, 'deletes')),
      orderedOf(command),
      progress,
      function* (statement): Work<void> {
        checkFields(statement, 'delete.deletes', ['q', 'limit', 'hint', 'sampleId'])
        const limit = statement.get('limit')
        if (limit === undefined)
          fail(40414, "BSON field 'delete.deletes.limit' is missing but a required field")
        const n = yield* runDelete(context, name, {
          filter: optionalDoc(statement, 'q'),
          hint: statement.get('hint'),
          multi: !truthy(limit),
          variables,
        })
        progress.add('n', n)
      },
    )
    return ok({ n: progress.count('n'), writeErrors: errorsOf(progress) })
  },
}

const findAndModify: Command = {
  writes: true,
  *run(command, context) {
    knownFields(
      command,
      'query',
      'sort',
      'remove',
      'update',
      'new',
      'fields',
      'upsert',
      'arrayFilters',
      'hint',
      'let',
      'bypassDocumentValidation',
    )
    const name = collectionName(command)
    const removing = truthy(command.get('remove'))
    const spec = command.get('update')
    const wantNew = truthy(command.get('new'))
    const upserting = truthy(command.get('upsert'))
    if (removing && spec !== undefined) fail(9, 'Cannot specify both an update and remove=true')
    if (removing && wantNew)
      fail(9, "Cannot specify both new=true and remove=true; 'remove' always returns the deleted document")
    if (removing && upserting) fail(9, 'Cannot specify both upsert=true and remove=true')
    if (!removing && spec === undefined) fail(9, 'Either an update or remove=true must be specified')
    const fields = optionalDoc(command, 'fields')
    const variables = variablesOf(command)
    const project =
      fields.size > 0
        ? compileProjection(fields, { find: true, variables })
        : (doc: Doc, _position?: Position) => doc
    const statement = {
      filter: optionalDoc(command, 'query'),
      hint: command.get('hint'),
      sort: optionalDoc(command, 'sort'),
      variables,
    }
    if (removing) {
      const query = queryOf(statement, 1)
      let found: MatchedDoc | undefined
      yield* forEachFound(context, name, query, (collection, one) => {
        collection.remove(one.id, one.doc)
        found = one
      })
      return ok({
        lastErrorObject: Doc.of({ n: found ? 1 : 0 }),
        value: found ? project(found.doc, found.position) : null,
      })
    }
    const arrayFilters = command.has('arrayFilters') ? list(command, 'arrayFilters') : []
    const result = yield* runUpdate(context, name, {
      ...statement,
      update: spec!,
      multi: false,
      upsert: upserting,
      arrayFilters,
    })
    const { before, upserted } = result
    const shown = wantNew ? (result.after ?? before?.doc) : before?.doc
    return ok({
      lastErrorObject: Doc.of({
        n: before || upserted !== undefined ? 1 : 0,
        updatedExisting: before !== undefined,
        upserted,
      }),
      value: shown ? project(shown, before?.position) : null,
    })
  },
}

const totals = ['nInserted', 'nMatched', 'nModified', 'nUpserted', 'nDeleted']

/** Runs one operation of a `bulkWrite` and returns its row of the result. */
function* bulkOperation(
  context: Context,
  op: Doc,
  namespaces: readonly string[],
  variables: Variables,
  progress: Progress,
): Work<Doc> {
  const [kind, at] = op.entries().next().value ?? fail(9, 'empty operation')
  const ns =
    namespaces[at as number] ?? fail(2, `BulkWrite ops entry ${String(kind)} has an invalid nsInfo index.`)
  const dot = ns.indexOf('.')
  if (dot < 1) fail(73, `Invalid namespace specified: ${ns}`)
  const inside: Context = {
    ...context,
    db: ns.slice(0, dot),
    get catalog() {
      return context.catalog
    },
  }
  const name = checkName(ns.slice(dot + 1))
  const filter = optionalDoc(op, 'filter')
  switch (kind) {
    case 'insert': {
      checkFields(op, 'bulkWrite.ops', ['insert', 'document'])
      findOrCreate(inside, name).insert(insertable(optionalDoc(op, 'document'), context))
      progress.add('nInserted', 1)
      return Doc.of({ n: 1 })
    }
    case 'update': {
      checkFields(op, 'bulkWrite.ops', [
        'update',
        'filter',
        'updateMods',
        'multi',
        'upsert',
        'arrayFilters',
        'hint',
        'sort',
        'constants',
      ])
      const result = yield* runUpdate(inside, name, {
        filter,
        update:
          op.get('updateMods') ??
          fail(40414, "BSON field 'bulkWrite.updateMods' is missing but a required field"),
        multi: op.get('multi') === true,
        upsert: op.get('upsert') === true,
        arrayFilters: op.has('arrayFilters') ? list(op, 'arrayFilters') : [],
        hint: op.get('hint'),
        sort: optionalDoc(op, 'sort'),
        variables: withConstants(variables, op, 'constants'),
      })
      progress.add('nMatched', result.matched)
      progress.add('nModified', result.modified)
      if (result.upserted === undefined) return Doc.of({ n: result.matched, nModified: result.modified })
      progress.add('nUpserted', 1)
      return Doc.of({ n: 1, nModified: 0, upserted: Doc.of({ _id: result.upserted }) })
    }
    case 'delete': {
      checkFields(op, 'bulkWrite.ops', ['delete', 'filter', 'multi', 'hint'])
      const n = yield* runDelete(inside, name, {
        filter,
        hint: op.get('hint'),
        multi: op.get('multi') === true,
        variables,
      })
      progress.add('nDeleted', n)
      return Doc.of({ n })
    }
    default:
      return fail(9, `BSON field 'bulkWrite.ops.${kind}' is an unknown operation.`)
  }
}

const bulkWrite: Command = {
  writes: true,
  *run(command, context) {
    knownFields(
      command,
      'ops',
      'nsInfo',
      'ordered',
      'errorsOnly',
      'bypassDocumentValidation',
      'let',
      'cursor',
    )
    if (context.db !== 'admin') fail(13, 'bulkWrite may only be run against the admin database.')
    const namespaces = docs(command, 'nsInfo').map(one =>
      typeof one.get('ns') === 'string'
        ? (one.get('ns') as string)
        : fail(40414, "BSON field 'nsInfo.ns' is missing"),
    )
    const ops = batch(docs(command, 'ops'))
    const errorsOnly = command.get('errorsOnly') === true
    const variables = variablesOf(command)
    const progress = context.progress ?? new Progress()
    yield* each(ops, orderedOf(command), progress, function* (op, idx): Work<void> {
      const row = yield* bulkOperation(context, op, namespaces, variables, progress)
      if (!errorsOnly) progress.rows.push(new Doc([['ok', new Double(1)], ['idx', idx], ...row]))
    })
    const rows = [...progress.rows]
    for (const error of progress.errors) {
      const idx = error.get('index') as number
      error.delete('index')
      rows.push(new Doc([['ok', new Double(0)], ['idx', idx], ...error, ['n', 0]]))
    }
    rows.sort((a, b) => (a.get('idx') as number) - (b.get('idx') as number))
    const cursor = yield* context.cursors.first(
      'admin.$cmd.bulkWrite',
      rows,
      natural(optionalDoc(command, 'cursor'), 'batchSize') ?? Number.POSITIVE_INFINITY,
      false,
      context.transaction,
    )
    return ok({
      cursor,
      nErrors: progress.errors.length,
      ...Object.fromEntries(totals.map(name => [name, asCount(progress.count(name))])),
    })
  },
}

export const writeCommands: [string, Command][] = [
  ['insert', insert],
  ['update', update],
  ['delete', remove],
  ['findAndModify', findAndModify],
  ['findandmodify', findAndModify],
  ['bulkWrite', bulkWrite],
]
