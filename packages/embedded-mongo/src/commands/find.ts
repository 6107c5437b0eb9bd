import { groupKey } from '../aggregate/accumulators.js'
import { compilePipeline, neededFields, type PipelineContext } from '../aggregate/pipeline.js'
import { compileProjection, topLevelFields } from '../aggregate/project.js'
import { sortBy, sortPattern } from '../aggregate/sort.js'
import type { Variables } from '../aggregate/variables.js'
import { count as asCount, asInteger } from '../bson/numbers.js'
import { pickFields, readDoc } from '../bson/read.js'
import { maxDocumentSize, sizeOf } from '../bson/size.js'
import { Doc, RawDoc, type Value } from '../bson/values.js'
import { fail } from '../errors.js'
import { choosePlan, distinctPlan, type IndexPlan, type Plan } from '../indexes/plan.js'
import { type Condition, compileFilter, type Position, without } from '../match/filter.js'
import { visitPath } from '../match/paths.js'
import { currentTimer, due, gathered, paced, pause, type Rows, type Work } from '../slices.js'
import { arraysOf, isMultikey } from '../storage/catalog.js'
import type { Collection } from '../storage/collection.js'
import {
  type Command,
  type Context,
  checkName,
  collectionName,
  find as findCollection,
  knownFields,
  list,
  natural,
  ok,
  optionalDoc,
  text,
  variablesOf,
} from './context.js'

/** A document that matches a query. It is decoded in full only on access. */
export class MatchedDoc {
  readonly id: number
  readonly bytes: Buffer
  readonly position: Position
  private whole: Doc | undefined

  constructor(id: number, bytes: Buffer, position: Position) {
    this.id = id
    this.bytes = bytes
    this.position = position
  }

  get doc(): Doc {
    this.whole ??= readDoc(this.bytes)
    return this.whole
  }
}

/** The counts of a search, for `explain`. */
export type Examined = { keys: number; docs: number; scans: number; indexes: Set<string> }

const nothingExamined = (): Examined => ({ keys: 0, docs: 0, scans: 0, indexes: new Set() })

const planned = (plan: Plan, examined: Examined) => {
  if (plan.kind === 'scan') examined.scans++
  else if (plan.kind === 'index') examined.indexes.add(plan.index.name)
  else for (const one of plan.of) planned(one, examined)
}

/**
 * Runs a plan and yields the documents that match the condition, each once. Conditions that index bounds decide are not
 * checked again. A document is decoded only as far as the remaining condition needs.
 */
export function* search(
  collection: Collection,
  plan: Plan,
  condition: Condition,
  query: Pick<Query, 'thorough' | 'counting' | 'passing'>,
  examined?: Examined,
): Rows<MatchedDoc> {
  if (examined) planned(plan, examined)
  const whole = without(condition, nothingDecided)
  if (plan.kind === 'scan') {
    for (const { id, bytes } of collection.scan(plan.reverse)) {
      if (due()) yield pause
      if (examined) examined.docs++
      const position = matched(bytes, whole, query)
      if (position) yield new MatchedDoc(id, bytes, position)
    }
    return
  }
  let left = undecided(plan, condition, query)
  const seen = plan.kind === 'index' && plan.once ? undefined : new Set<number>()
  const timer = currentTimer()
  for (const id of recordIds(collection, plan, examined ?? nothingExamined())) {
    if (due()) yield pause
    if (seen?.has(id)) continue
    seen?.add(id)
    // Documents may have changed between two batches of a cursor, after their keys were read.
    if (currentTimer() !== timer) left = whole
    if (!left && query.counting) {
      yield new MatchedDoc(id, notRead, nowhere)
      continue
    }
    const bytes = left || query.passing ? collection.peek(id) : collection.get(id)
    if (!bytes) continue
    if (examined) examined.docs++
    const position = matched(bytes, left, query)
    if (!position) continue
    yield new MatchedDoc(
      id,
      query.counting ? notRead : left && !query.passing ? copied(bytes) : bytes,
      position,
    )
  }
}

const nothingDecided: ReadonlySet<Condition> = new Set()
const notRead = Buffer.alloc(0)
/** Copies a peeked buffer: only its `length` is the value's, its memory is longer. */
const copied = (bytes: Buffer) => Buffer.from(bytes.subarray(0, bytes.length))
const nowhere: Position = Object.freeze({})

/** Returns the part of a condition that must be checked on the documents of a plan; undefined if there is none. */
const undecided = (plan: Plan, condition: Condition, { thorough }: Pick<Query, 'thorough'>) =>
  without(condition, plan.kind === 'index' && !thorough ? plan.decided : nothingDecided)

/** Returns the position of a document's match; undefined if the document does not match. */
const matched = (
  bytes: Buffer,
  condition: Condition | undefined,
  { thorough }: Pick<Query, 'thorough'>,
): Position | undefined => {
  if (!condition) return nowhere
  const decided = condition.raw?.(bytes)
  if (decided === false) return undefined
  // A check of the bytes does not yield the position of a match.
  if (decided && !thorough) return nowhere
  const position: Position = {}
  return condition.matches(readDoc(bytes, 0, condition.fields), position) ? position : undefined
}

function* recordIds(collection: Collection, plan: Plan, examined: Examined): Iterable<number> {
  if (plan.kind === 'scan') for (const { id } of collection.scan()) yield id
  else if (plan.kind === 'union') for (const one of plan.of) yield* recordIds(collection, one, examined)
  else if (plan.merges) yield* collection.mergedRanges(plan.index, plan.ranges, plan.reverse, examined)
  else {
    const ranges = plan.reverse ? [...plan.ranges].reverse() : plan.ranges
    for (const range of ranges)
      for (const id of collection.indexRange(plan.index, range, plan.reverse)) {
        examined.keys++
        yield id
      }
  }
}

export type Query = {
  filter: Doc
  sort: Doc
  skip: number
  limit: number
  hint: Value | undefined
  variables: Variables
  /**
   * Check the whole condition on every document: for writes, whose documents may change after their index keys were
   * read, and for the position of a match in an array.
   */
  thorough?: boolean
  /** The documents are not needed: they are not read if the index decides the condition. */
  counting?: boolean
  /** The caller decodes each document before it requests the next one: documents are not copied. */
  passing?: boolean
}

/** Compiles a query: its condition, its plan, and whether the plan yields the requested order. */
export const prepare = (collection: Collection, query: Query) => {
  const condition = compileFilter(query.filter, { variables: query.variables, settled: true })
  const pattern = sortPattern(naturalFree(query.sort))
  const natural = query.sort.get('$natural')
  const plan = choosePlan(
    collection.info,
    condition,
    pattern,
    natural === undefined ? query.hint : query.sort,
  )
  const sorted = pattern.length === 0 || (plan.kind === 'index' && plan.sorted)
  return { condition, pattern, plan, sorted }
}

const naturalFree = (sort: Doc) =>
  sort.has('$natural') ? new Doc([...sort].filter(([name]) => name !== '$natural')) : sort

/**
 * Yields the documents of a query, with its sort, skip and limit applied.
 * @param prepared result of `prepare` for the query
 */
export function* select(
  collection: Collection,
  query: Query,
  examined?: Examined,
  prepared = prepare(collection, query),
): Rows<MatchedDoc> {
  const { condition, pattern, plan, sorted } = prepared
  const found = search(
    collection,
    plan,
    condition,
    { ...query, counting: sorted && query.counting === true, passing: sorted && query.passing === true },
    examined,
  )
  const sortFields = new Set(pattern.map(part => part.parts[0]!))
  const ordered = sorted ? found : sortBy(found, one => readDoc(one.bytes, 0, sortFields), pattern)
  let skip = query.skip
  let left = query.limit || Number.POSITIVE_INFINITY
  for (const one of ordered) {
    if (one === pause) {
      yield pause
      continue
    }
    if (skip-- > 0) continue
    yield one
    if (--left === 0) return
  }
}

/** Provides pipelines with access to other collections. */
export const pipelineContext = (
  context: Context,
  variables: Variables,
  examined?: Examined,
): PipelineContext => ({
  variables,
  *source(name, filter, inner) {
    const collection = findCollection(context, name)
    if (!collection) return
    const query = { filter, sort: new Doc(), skip: 0, limit: 0, hint: undefined, variables: inner }
    for (const one of select(collection, query, examined)) yield one === pause ? pause : one.doc
  },
})

const queryOf = (command: Doc): Query => {
  const limit = asInteger(command.get('limit') ?? 0) ?? fail(14, "BSON field 'find.limit' is the wrong type")
  return {
    filter: optionalDoc(command, 'filter'),
    sort: optionalDoc(command, 'sort'),
    skip: natural(command, 'skip') ?? 0,
    limit: limit < 0 ? fail(51024, `BSON field 'limit' value must be >= 0, actual value '${limit}'`) : limit,
    hint: command.get('hint'),
    variables: variablesOf(command),
  }
}

const findFields = [
  'filter',
  'sort',
  'projection',
  'hint',
  'skip',
  'limit',
  'batchSize',
  'singleBatch',
  'let',
  'allowDiskUse',
  'allowPartialResults',
  'oplogReplay',
]

const unsupportedFind = [
  'tailable',
  'awaitData',
  'returnKey',
  'showRecordId',
  'min',
  'max',
  'noCursorTimeout',
]

/** Rejects `allowDiskUse: false`: the memory of a sort or group is not measured, so it cannot be limited. */
const checkMemory = (command: Doc) => {
  if (command.get('allowDiskUse') === false) fail(303, 'allowDiskUse: false is not supported')
}

const checkFind = (command: Doc) => {
  for (const name of unsupportedFind) {
    const value = command.get(name)
    if (value !== undefined && value !== false) fail(303, `find's ${name} is not supported`)
  }
  knownFields(command, ...findFields, ...unsupportedFind)
  checkMemory(command)
}

const find: Command = {
  writes: false,
  *run(command, context) {
    checkFind(command)
    const name = collectionName(command)
    const query = queryOf(command)
    const projection = optionalDoc(command, 'projection')
    const project =
      projection.size > 0
        ? compileProjection(projection, { find: true, variables: query.variables })
        : undefined
    const fields = topLevelFields(projection)
    query.thorough = [...projection.keys()].some(path => path.endsWith('.$'))
    query.passing = project !== undefined
    const batchSize = natural(command, 'batchSize') ?? 101
    const single = command.get('singleBatch') === true
    const collection = findCollection(context, name)
    const ns = `${context.db}.${name}`
    if (!collection) {
      compileFilter(query.filter, { variables: query.variables })
      sortPattern(naturalFree(query.sort))
      return ok({ cursor: Doc.of({ firstBatch: [], id: 0n, ns }) })
    }
    const prepared = prepare(collection, query)
    const rows = function* () {
      for (const found of select(collection, query, undefined, prepared)) {
        if (found === pause) yield pause
        else if (fields) yield new RawDoc(pickFields(found.bytes, fields))
        else yield project ? project(found.doc, found.position) : new RawDoc(found.bytes)
      }
    }
    return ok({ cursor: yield* context.cursors.first(ns, rows(), batchSize, single, context.transaction) })
  },
}

const getMore: Command = {
  writes: false,
  *run(command, context) {
    knownFields(command, 'collection', 'batchSize')
    if (natural(command, 'maxTimeMS'))
      fail(2, 'cannot set maxTimeMS on getMore command for a non-awaitData cursor')
    const id = command.get('getMore')
    if (typeof id !== 'bigint')
      return fail(14, "BSON field 'getMore.getMore' is the wrong type, expected type 'long'")
    const size = natural(command, 'batchSize')
    return ok({
      cursor: yield* context.cursors.more(
        id,
        `${context.db}.${text(command, 'collection')}`,
        size || undefined,
      ),
    })
  },
}

const killCursors: Command = {
  writes: false,
  run(command, context) {
    knownFields(command, 'cursors')
    const killed: Value[] = []
    const missing: Value[] = []
    for (const id of list(command, 'cursors')) {
      if (typeof id !== 'bigint') return fail(14, 'cursor ids are longs')
      ;(context.cursors.kill(id) ? killed : missing).push(id)
    }
    return ok({ cursorsKilled: killed, cursorsNotFound: missing, cursorsAlive: [], cursorsUnknown: [] })
  },
}

const count: Command = {
  writes: false,
  *run(command, context) {
    knownFields(command, 'query', 'limit', 'skip', 'hint', 'fields')
    const collection = findCollection(context, collectionName(command))
    const filter = optionalDoc(command, 'query')
    const limit = Math.abs(asInteger(command.get('limit') ?? 0) ?? fail(14, 'limit must be a number'))
    const skip = natural(command, 'skip') ?? 0
    const query = {
      filter,
      sort: new Doc(),
      skip,
      limit,
      hint: command.get('hint'),
      variables: variablesOf(command),
      counting: true,
    }
    if (!collection) {
      compileFilter(filter)
      return ok({ n: 0 })
    }
    let n = 0
    if (filter.size === 0)
      n = Math.max(0, Math.min(collection.count() - skip, limit || Number.POSITIVE_INFINITY))
    else
      for (const one of select(collection, query)) {
        if (one === pause) yield pause
        else n++
      }
    return ok({ n: asCount(n) })
  },
}

/** Maximum total size of distinct values: the reply contains them in one document. */
const mostDistinct = maxDocumentSize - 4096

const distinct: Command = {
  writes: false,
  *run(command, context) {
    knownFields(command, 'key', 'query', 'hint')
    const collection = findCollection(context, collectionName(command))
    const key = text(command, 'key')
    const filter = optionalDoc(command, 'query')
    const variables = variablesOf(command)
    const values = new Map<string, Value>()
    let size = 0
    const gather = (name: string, value: Value) => {
      if (values.has(name)) return
      size += sizeOf(value) + 2 + String(values.size).length
      if (size >= mostDistinct) fail(17217, 'distinct too big, 16mb cap')
      values.set(name, value)
    }
    if (!collection) {
      compileFilter(filter)
      return ok({ values: [] })
    }
    const parts = key.split('.')
    const skipping = command.has('hint')
      ? undefined
      : distinctPlan(collection.info, compileFilter(filter, { variables }), key)
    if (skipping) {
      for (const value of paced(collection.distinct(skipping.index, skipping.prefix, key))) {
        if (value === pause) yield pause
        else if (value !== undefined) gather(groupKey(value), value)
      }
      return ok({ values: [...values.values()] })
    }
    for (const one of select(collection, {
      filter,
      sort: new Doc(),
      skip: 0,
      limit: 0,
      hint: command.get('hint'),
      variables,
    })) {
      if (one === pause) {
        yield pause
        continue
      }
      visitPath(one.doc, parts, false, value => {
        // An array counts as its elements.
        for (const item of Array.isArray(value) ? value : value === undefined ? [] : [value]) {
          gather(groupKey(item), item)
        }
        return false
      })
    }
    return ok({ values: [...values.values()] })
  },
}

/** Splits off the leading stages that an index can serve: a `$match`, then a `$sort`. */
const leading = (pipeline: readonly Value[]) => {
  let used = 0
  let filter = new Doc()
  let sort = new Doc()
  const stage = (name: string) => {
    const found = pipeline[used]
    const spec = found instanceof Doc && found.size === 1 ? found.get(name) : undefined
    return spec instanceof Doc ? spec : undefined
  }
  const match = stage('$match')
  if (match) {
    filter = match
    used++
  }
  const order = stage('$sort')
  if (order && order.size > 0) {
    sort = order
    used++
  }
  return { filter, sort, rest: pipeline.slice(used) }
}

const aggregate: Command = {
  writes: false,
  *run(command, context) {
    knownFields(
      command,
      'pipeline',
      'cursor',
      'hint',
      'let',
      'allowDiskUse',
      'explain',
      'bypassDocumentValidation',
    )
    checkMemory(command)
    const pipeline = list(command, 'pipeline')
    if (command.get('explain') === true) return yield* explainCommand(command, context)
    const cursor = command.get('cursor')
    if (!(cursor instanceof Doc))
      return fail(9, "The 'cursor' option is required, except for aggregate with the explain argument")
    const batchSize = natural(cursor, 'batchSize') ?? 101
    const target = command.get('aggregate')
    const variables = variablesOf(command)
    const inside = pipelineContext(context, variables)
    // Compile the whole pipeline first, so that errors are found before it runs.
    compilePipeline(pipeline, inside)
    if (typeof target !== 'string') {
      const name = pipeline[0] instanceof Doc ? pipeline[0].keys().next().value : undefined
      return fail(
        73,
        `{aggregate: 1} is not valid for '${name ?? 'an empty pipeline'}'; a collection is required.`,
      )
    }
    const name = checkName(target)
    const { filter, sort, rest } = leading(pipeline)
    const run = compilePipeline(rest, inside)
    const fields = neededFields(rest)
    const collection = findCollection(context, name)
    const query: Query = {
      filter,
      sort,
      skip: 0,
      limit: 0,
      hint: command.get('hint'),
      variables,
      counting: fields?.size === 0,
      passing: rest.length > 0,
    }
    const rows: Rows<Doc | RawDoc> =
      collection && rest.length === 0
        ? raws(select(collection, query))
        : run(collection ? bodies(select(collection, query), fields) : [])
    const ns = `${context.db}.${name}`
    return ok({ cursor: yield* context.cursors.first(ns, rows, batchSize, false, context.transaction) })
  },
}

function* raws(found: Rows<MatchedDoc>) {
  for (const one of found) yield one === pause ? pause : new RawDoc(one.bytes)
}

function* bodies(found: Rows<MatchedDoc>, only: Set<string> | undefined) {
  for (const one of found) {
    if (one === pause) yield pause
    else yield only?.size === 0 ? new Doc() : readDoc(one.bytes, 0, only)
  }
}

/** Returns the query of a command, for `explain`. */
const explained = (command: Doc): Query => {
  const name = command.keys().next().value
  const base = {
    sort: new Doc(),
    skip: 0,
    limit: 0,
    hint: command.get('hint'),
    variables: variablesOf(command),
  }
  switch (name) {
    case 'find':
      checkFind(command)
      return queryOf(command)
    case 'count':
      return { ...base, filter: optionalDoc(command, 'query'), counting: true }
    case 'distinct':
      return { ...base, filter: optionalDoc(command, 'query') }
    case 'findAndModify':
      return { ...base, filter: optionalDoc(command, 'query'), sort: optionalDoc(command, 'sort'), limit: 1 }
    case 'aggregate': {
      const { filter, sort, rest } = leading(list(command, 'pipeline'))
      return { ...base, filter, sort, counting: neededFields(rest)?.size === 0 }
    }
    case 'update':
    case 'delete': {
      const one = list(command, name === 'update' ? 'updates' : 'deletes')[0]
      return { ...base, filter: one instanceof Doc ? optionalDoc(one, 'q') : new Doc() }
    }
    default:
      return fail(59, `Explain failed due to unknown command: ${name}`)
  }
}

/** Returns the stages of a plan. `keys`: the documents are not read. */
const stageOf = (plan: Plan, keys = false): Doc => {
  if (plan.kind === 'scan')
    return Doc.of({ stage: 'COLLSCAN', direction: plan.reverse ? 'backward' : 'forward' })
  return keys ? keyStage(plan) : Doc.of({ stage: 'FETCH', inputStage: keyStage(plan) })
}

const keyStage = (plan: Plan): Doc => {
  if (plan.kind === 'scan') return stageOf(plan)
  if (plan.kind === 'union') return Doc.of({ stage: 'OR', inputStages: plan.of.map(keyStage) })
  if (!plan.merges) return scanStage(plan, plan.ranges.length)
  return Doc.of({ stage: 'SORT_MERGE', inputStages: plan.ranges.map(() => scanStage(plan, 1)) })
}

const scanStage = ({ index, reverse }: IndexPlan, intervals: number): Doc =>
  Doc.of({
    stage: 'IXSCAN',
    keyPattern: index.key,
    indexName: index.name,
    isMultiKey: isMultikey(index),
    multiKeyPaths: new Doc([...index.key.keys()].map((path, i) => [path, arraysOf(index, i)])),
    isUnique: index.unique,
    isSparse: index.sparse,
    isPartial: index.filter !== undefined,
    indexVersion: 2,
    direction: reverse ? 'backward' : 'forward',
    intervals,
  })

/** Returns the `explain` output of the stages that the plan does not serve, with their reads of other collections. */
function* explainedStages(
  rest: readonly Value[],
  context: Context,
  variables: Variables,
  input: Rows<Doc> | undefined,
): Work<Doc[]> {
  let docs = input && (yield* gathered(input))
  const rows: Doc[] = []
  for (const stage of rest) {
    const examined = nothingExamined()
    const run = compilePipeline([stage], pipelineContext(context, variables, examined))
    const row = new Doc(stage as Doc)
    rows.push(row)
    if (!docs) continue
    docs = yield* gathered(run(paced(docs)))
    row.set('nReturned', asCount(docs.length))
    if (!row.has('$lookup')) continue
    row.set('totalDocsExamined', asCount(examined.docs))
    row.set('totalKeysExamined', asCount(examined.keys))
    row.set('collectionScans', asCount(examined.scans))
    row.set('indexesUsed', [...examined.indexes])
  }
  return rows
}

function* explainCommand(command: Doc, context: Context, verbosity: Value = 'queryPlanner'): Work<Doc> {
  const rest = command.has('pipeline') ? leading(list(command, 'pipeline')).rest : []
  if (rest.length === 0) return yield* explainQuery(command, context, verbosity)
  const reply = yield* explainQuery(command, context, verbosity)
  const query = explained(command)
  const collection = findCollection(context, collectionName(command))
  const input = collection ? bodies(select(collection, query), query.counting ? new Set() : undefined) : []
  const stages = yield* explainedStages(
    rest,
    context,
    query.variables,
    verbosity === 'queryPlanner' ? undefined : input,
  )
  const cursor = Doc.of({
    queryPlanner: reply.get('queryPlanner'),
    executionStats: reply.get('executionStats'),
  })
  return ok({ explainVersion: '1', stages: [Doc.of({ $cursor: cursor }), ...stages], command })
}

function* explainQuery(command: Doc, context: Context, verbosity: Value): Work<Doc> {
  const name = collectionName(command)
  const query = explained(command)
  const collection = findCollection(context, name)
  const planner = (winningPlan: Doc) =>
    Doc.of({ namespace: `${context.db}.${name}`, parsedQuery: query.filter, winningPlan, rejectedPlans: [] })
  if (!collection)
    return ok({ explainVersion: '1', queryPlanner: planner(Doc.of({ stage: 'EOF' })), command })
  const { condition, plan, sorted } = prepare(collection, query)
  const keys = query.counting === true && undecided(plan, condition, query) === undefined
  const stage = sorted
    ? stageOf(plan, keys)
    : Doc.of({ stage: 'SORT', sortPattern: query.sort, inputStage: stageOf(plan) })
  const reply = { explainVersion: '1', queryPlanner: planner(stage), command }
  if (verbosity === 'queryPlanner') return ok(reply)
  const examined = nothingExamined()
  const from = performance.now()
  let returned = 0
  for (const one of select(collection, query, examined)) {
    if (one === pause) yield pause
    else returned++
  }
  const executionStats = Doc.of({
    executionSuccess: true,
    nReturned: returned,
    executionTimeMillis: Math.round(performance.now() - from),
    totalKeysExamined: examined.keys,
    totalDocsExamined: examined.docs,
    executionStages: stage,
  })
  return ok({ ...reply, executionStats })
}

const explain: Command = {
  writes: false,
  *run(command, context) {
    knownFields(command, 'verbosity')
    const inner = command.get('explain')
    if (!(inner instanceof Doc))
      return fail(14, "BSON field 'explain.explain' is the wrong type, expected type 'object'")
    const verbosity = command.get('verbosity') ?? 'allPlansExecution'
    if (!['queryPlanner', 'executionStats', 'allPlansExecution'].includes(verbosity as string))
      fail(2, `Enumeration value '${String(verbosity)}' for field 'explain.verbosity' is not a valid value.`)
    return yield* explainCommand(inner, context, verbosity)
  },
}

export const readCommands: [string, Command][] = [
  ['find', find],
  ['getMore', getMore],
  ['killCursors', killCursors],
  ['count', count],
  ['distinct', distinct],
  ['aggregate', aggregate],
  ['explain', explain],
]
