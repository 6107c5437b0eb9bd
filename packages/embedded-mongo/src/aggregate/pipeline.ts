import { asInteger, count } from '../bson/numbers.js'
import { maxGathered, sizeOf } from '../bson/size.js'
import { Doc, Regex, type Value } from '../bson/values.js'
import { fail, MongoError } from '../errors.js'
import { compileFilter } from '../match/filter.js'
import { due, gathered, paced, pause, type Rows, type Work } from '../slices.js'
import { accumulators, groupKey } from './accumulators.js'
import { compileExpression } from './expressions.js'
import { type Compile, missing } from './operator.js'
import { compileAddFields, compileProjection } from './project.js'
import { sortBy, sortPattern } from './sort.js'
import { Variables } from './variables.js'

/** A stage: transforms a stream of documents and passes pauses through. */
export type Stage = (input: Rows<Doc>) => Rows<Doc>

export type PipelineContext = {
  variables: Variables
  /**
   * Returns the documents of another collection of the database that match a filter. `variables` are those of the
   * filter.
   */
  source(collection: string, filter: Doc, variables: Variables): Rows<Doc>
}

/**
 * Compiles a pipeline.
 * @throws MongoError 40324 for an unknown stage
 */
export const compilePipeline = (pipeline: Value, context: PipelineContext): Stage => {
  if (!Array.isArray(pipeline)) return fail(14, "'pipeline' option must be specified as an array")
  const stages = pipeline.map(stage => {
    if (!(stage instanceof Doc)) return fail(14, "Each element of the 'pipeline' array must be an object")
    if (stage.size !== 1) fail(40323, 'A pipeline stage specification object must contain exactly one field.')
    const [name, spec] = stage.entries().next().value!
    if (name === '$changeStream') fail(40573, 'The $changeStream stage is only supported on replica sets')
    const make = stageMakers.get(name) ?? fail(40324, `Unrecognized pipeline stage name: '${name}'`)
    return make(spec, context)
  })
  return input => stages.reduce((docs, stage) => stage(docs), input)
}

type StageMaker = (spec: Value, context: PipelineContext) => Stage

const each = (change: (doc: Doc) => Doc): Stage =>
  function* (input) {
    for (const doc of input) yield doc === pause ? pause : change(doc)
  }

const object = (code: number, name: string, spec: Value): Doc =>
  spec instanceof Doc ? spec : fail(code, `the ${name} specification must be an object`)

const whole = (code: number, name: string, spec: Value | undefined): number => {
  const number = asInteger(spec)
  return number === undefined || number < 0
    ? fail(code, `invalid argument to ${name} stage: Expected a non-negative number`)
    : number
}

const compiler =
  (context: PipelineContext): Compile =>
  (spec, variables = context.variables) =>
    compileExpression(spec, variables)

const match: StageMaker = (spec, context) => {
  const condition = compileFilter(object(15959, '$match', spec), context)
  return function* (input) {
    for (const doc of input) if (doc === pause || condition.matches(doc)) yield doc
  }
}

const project: StageMaker = (spec, context) => {
  const projection = object(15969, '$project', spec)
  if (projection.size === 0)
    fail(51272, 'Invalid $project :: caused by :: projection specification must have at least one field')
  return each(compileProjection(projection, context))
}

const addFields: StageMaker = (spec, context) =>
  each(compileAddFields(object(40272, '$addFields', spec), context.variables))

const unset: StageMaker = (spec, context) => {
  const paths = Array.isArray(spec) ? spec : [spec]
  if (paths.length === 0)
    fail(31119, '$unset specification must be a string or an array with at least one field')
  const projection = new Doc()
  for (const path of paths)
    projection.set(
      typeof path === 'string'
        ? path
        : fail(31120, '$unset specification must be a string or an array containing only string values'),
      0,
    )
  return each(compileProjection(projection, context))
}

const group: StageMaker = (spec, context) => {
  const compile = compiler(context)
  const fields = object(15947, '$group', spec)
  if (!fields.has('_id')) fail(15955, 'a group specification must include an _id')
  const idOf = compile(fields.get('_id')!)
  const makers = [...fields]
    .filter(([name]) => name !== '_id')
    .map(([name, accumulator]) => {
      if (name.includes('.')) fail(40235, `The field name '${name}' cannot contain '.'`)
      if (name.startsWith('$')) fail(40236, `The field name '${name}' cannot be an operator name`)
      if (!(accumulator instanceof Doc))
        return fail(40234, `The field '${name}' must be an accumulator object`)
      if (accumulator.size !== 1) fail(40238, `The field '${name}' must specify one accumulator`)
      const [operator, argument] = accumulator.entries().next().value!
      if (operator === '$accumulator') fail(238, '$accumulator is not supported')
      const make = accumulators.get(operator) ?? fail(15952, `unknown group operator '${operator}'`)
      return [name, make(argument, compile)] as const
    })
  return function* (input) {
    const groups = new Map<string, { id: Value; gatherers: ReturnType<(typeof makers)[number][1]>[] }>()
    let found: NonNullable<ReturnType<typeof groups.get>> | undefined
    for (const doc of input) {
      if (doc === pause) {
        yield pause
        continue
      }
      const id = idOf(doc) ?? null
      // Counts have a constant id.
      if (id !== found?.id) {
        const key = groupKey(id)
        found = groups.get(key)
        if (!found) {
          found = { id, gatherers: makers.map(([, make]) => make()) }
          groups.set(key, found)
        }
      }
      for (const gather of found.gatherers) gather.add(doc)
    }
    for (const { id, gatherers } of groups.values()) {
      if (due()) yield pause
      const made = new Doc([['_id', id]])
      for (const [i, [name]] of makers.entries()) made.set(name, gatherers[i]!.result())
      yield made
    }
  }
}

const sort: StageMaker = spec => {
  const pattern = sortPattern(object(15973, '$sort', spec))
  if (pattern.length === 0) fail(15976, '$sort stage must have at least one sort key')
  return input => sortBy(input, doc => doc, pattern)
}

const limit: StageMaker = spec => {
  const most = whole(5107201, '$limit', spec)
  if (most === 0) fail(15958, 'the limit must be positive')
  return function* (input) {
    let left = most
    for (const doc of input) {
      yield doc
      if (doc !== pause && --left === 0) return
    }
  }
}

const skip: StageMaker = spec => {
  const by = whole(5107200, '$skip', spec)
  return function* (input) {
    let left = by
    for (const doc of input) if (doc === pause || left-- <= 0) yield doc
  }
}

const unwind: StageMaker = spec => {
  const options = spec instanceof Doc ? spec : new Doc([['path', spec]])
  for (const name of options.keys())
    if (!['path', 'includeArrayIndex', 'preserveNullAndEmptyArrays'].includes(name))
      fail(28811, `unrecognized option to $unwind stage: ${name}`)
  const path = options.get('path')
  if (typeof path !== 'string') return fail(28808, 'expected a string as the path for $unwind stage')
  if (!path.startsWith('$'))
    fail(28818, `path option to $unwind stage should be prefixed with a '$': ${path}`)
  const parts = path.slice(1).split('.')
  const indexName = options.get('includeArrayIndex')
  if (indexName !== undefined && (typeof indexName !== 'string' || indexName === ''))
    fail(28810, 'expected a non-empty string for the includeArrayIndex option to $unwind stage')
  const preserve = options.get('preserveNullAndEmptyArrays') ?? false
  if (typeof preserve !== 'boolean')
    return fail(28809, 'expected a boolean for the preserveNullAndEmptyArrays option to $unwind stage')
  const withIndex = (doc: Doc, index: Value) =>
    typeof indexName === 'string' ? replaced(doc, indexName.split('.'), index) : doc
  return function* (input) {
    for (const doc of input) {
      if (doc === pause) {
        yield pause
        continue
      }
      let value: Value | undefined = doc
      for (const part of parts) value = value instanceof Doc ? value.get(part) : undefined
      if (Array.isArray(value) && value.length > 0) {
        for (const [i, item] of value.entries()) {
          if (due()) yield pause
          yield withIndex(replaced(doc, parts, item), BigInt(i))
        }
      } else if (Array.isArray(value) ? preserve : missing(value) ? preserve : true) {
        yield withIndex(Array.isArray(value) ? replaced(doc, parts, undefined) : doc, null)
      }
    }
  }
}

/** Replaces the value at a path. Copies the documents along the path. */
const replaced = (doc: Doc, parts: readonly string[], value: Value | undefined, from = 0): Doc => {
  const made = new Doc(doc)
  const name = parts[from]!
  if (from < parts.length - 1) {
    const inner = made.get(name)
    made.set(name, replaced(inner instanceof Doc ? inner : new Doc(), parts, value, from + 1))
  } else if (value === undefined) made.delete(name)
  else made.set(name, value)
  return made
}

const collectionName = (stage: string, value: Value | undefined): string =>
  typeof value === 'string' ? value : fail(9, `${stage} needs the name of a collection`)

const lookup: StageMaker = (spec, context) => {
  const options = object(9, '$lookup', spec)
  for (const name of options.keys())
    if (!['from', 'as', 'localField', 'foreignField', 'let', 'pipeline'].includes(name))
      fail(9, `unknown argument to $lookup: ${name}`)
  const from = collectionName('$lookup', options.get('from'))
  const as = options.get('as')
  if (typeof as !== 'string') return fail(9, "must specify 'as' field for a $lookup")
  const localField = options.get('localField')
  const foreignField = options.get('foreignField')
  if ((localField === undefined) !== (foreignField === undefined))
    fail(9, "$lookup requires both or neither of 'localField' and 'foreignField' to be specified")
  if (localField === undefined && !options.has('pipeline'))
    fail(9, "$lookup requires either 'pipeline' or both 'localField' and 'foreignField' to be specified")
  const scope = new Variables(context.variables)
  const letSpec = options.get('let') ?? new Doc()
  const compile = compiler(context)
  const sets = [...object(9, "$lookup 'let'", letSpec)].map(([name, value]) => ({
    slot: scope.define(name),
    evaluate: compile(value),
  }))
  const inside = { ...context, variables: scope }
  const { filter: leading, rest } = options.has('pipeline')
    ? leadingMatch(options.get('pipeline')!)
    : { filter: undefined, rest: [] }
  if (leading) compileFilter(leading, inside)
  const run = compilePipeline(rest, inside)
  const local = localField === undefined ? undefined : compile(`$${localField as string}`)
  return function* (input) {
    for (const doc of input) {
      if (doc === pause) {
        yield pause
        continue
      }
      for (const { slot, evaluate } of sets) slot.value = evaluate(doc)
      let filter = leading ?? new Doc()
      if (local) {
        const value = local(doc)
        const joined = joinOn(foreignField as string, value ?? null)
        filter = leading ? new Doc([['$and', [joined, leading]]]) : joined
      }
      const found = yield* within(
        run(context.source(from, filter, scope)),
        4568,
        `documents in ${from} matching pipeline's $lookup stage`,
      )
      yield replaced(doc, as.split('.'), found)
    }
  }
}

/** Collects documents in an array, up to MongoDB's limit for one stage. */
function* within(docs: Rows<Doc>, code: number, what: string): Work<Doc[]> {
  const all: Doc[] = []
  let size = 0
  for (const doc of docs) {
    if (doc === pause) {
      yield pause
      continue
    }
    size += sizeOf(doc)
    if (size > maxGathered) fail(code, `Total size of ${what} exceeds ${maxGathered} bytes`)
    all.push(doc)
  }
  return all
}

/**
 * Returns the `$lookup` condition: the foreign field equals the local value or one of its elements. A regex is a
 * plain value.
 */
const joinOn = (path: string, value: Value): Doc => {
  const equals = (one: Value) => new Doc([[path, new Doc([['$eq', one]])]])
  if (!Array.isArray(value)) return equals(value)
  return value.some(one => one instanceof Regex)
    ? new Doc([['$or', value.map(equals)]])
    : new Doc([[path, new Doc([['$in', value]])]])
}

/** Splits a leading `$match` off a pipeline, so that an index can serve it. */
const leadingMatch = (pipeline: Value): { filter: Doc | undefined; rest: Value } => {
  const first = Array.isArray(pipeline) ? pipeline[0] : undefined
  const filter = first instanceof Doc && first.size === 1 ? first.get('$match') : undefined
  return filter instanceof Doc
    ? { filter, rest: (pipeline as Value[]).slice(1) }
    : { filter: undefined, rest: pipeline }
}

const unionWith: StageMaker = (spec, context) => {
  const options = spec instanceof Doc ? spec : new Doc([['coll', spec]])
  for (const name of options.keys())
    if (name !== 'coll' && name !== 'pipeline')
      fail(40415, `BSON field '$unionWith.${name}' is an unknown field.`)
  const from = collectionName('$unionWith', options.get('coll'))
  const { filter = new Doc(), rest } = leadingMatch(options.get('pipeline') ?? [])
  compileFilter(filter, context)
  const run = compilePipeline(rest, context)
  return function* (input) {
    yield* input
    yield* run(context.source(from, filter, context.variables))
  }
}

const facet: StageMaker = (spec, context) => {
  const fields = object(40169, '$facet', spec)
  if (fields.size === 0) fail(40169, 'the $facet specification must be a non-empty object')
  const runs = [...fields].map(([name, pipeline]) => {
    if (Array.isArray(pipeline))
      for (const stage of pipeline)
        if (stage instanceof Doc && stage.has('$facet'))
          fail(40600, '$facet is not allowed to be used within a $facet stage')
    return [name, compilePipeline(pipeline, context)] as const
  })
  return function* (input) {
    const docs = yield* gathered(input)
    const made = new Doc()
    for (const [name, run] of runs)
      made.set(name, yield* within(run(paced(docs)), 4031700, 'document constructed by $facet'))
    yield made
  }
}

const counted: StageMaker = spec => {
  if (typeof spec !== 'string' || spec === '')
    return fail(40156, 'the count field must be a non-empty string')
  if (spec.startsWith('$')) fail(40158, 'the count field cannot be a $-prefixed path')
  if (spec.includes('.')) fail(40160, "the count field cannot contain '.'")
  return function* (input) {
    let found = 0
    for (const doc of input) {
      if (doc === pause) yield pause
      else found++
    }
    if (found > 0) yield new Doc([[spec, count(found)]])
  }
}

const sortByCount: StageMaker = (spec, context) => {
  const isField = typeof spec === 'string' && spec.startsWith('$')
  if (!isField && !(spec instanceof Doc))
    fail(40149, 'the sortByCount field must be specified as a string or as an object')
  const gather = group(Doc.of({ _id: spec, count: Doc.of({ $sum: 1 }) }), context)
  const order = sort(Doc.of({ count: -1 }), context)
  return input => order(gather(input))
}

const replaceRoot =
  (named: boolean): StageMaker =>
  (spec, context) => {
    const given = named ? object(40229, '$replaceRoot', spec).get('newRoot') : spec
    if (given === undefined)
      return fail(40414, "BSON field '$replaceRoot.newRoot' is missing but a required field")
    const evaluate = compiler(context)(given)
    return each(doc => {
      const root = evaluate(doc)
      return root instanceof Doc ? root : fail(40228, "'newRoot' expression must evaluate to an object")
    })
  }

const sample: StageMaker = spec => {
  const size = asInteger(object(28745, '$sample', spec).get('size'))
  if (size === undefined || size < 0)
    return fail(28747, 'size argument to $sample must be a non-negative number')
  return function* (input) {
    const docs = yield* gathered(input)
    for (let i = 0; i < Math.min(size, docs.length); i++) {
      const j = i + Math.floor(Math.random() * (docs.length - i))
      ;[docs[i], docs[j]] = [docs[j]!, docs[i]!]
    }
    yield* paced(docs.slice(0, size))
  }
}

const stageMakers: ReadonlyMap<string, StageMaker> = new Map<string, StageMaker>([
  ['$match', match],
  ['$project', project],
  ['$addFields', addFields],
  ['$set', addFields],
  ['$unset', unset],
  ['$group', group],
  ['$sort', sort],
  ['$limit', limit],
  ['$skip', skip],
  ['$unwind', unwind],
  ['$lookup', lookup],
  ['$unionWith', unionWith],
  ['$facet', facet],
  ['$count', counted],
  ['$sortByCount', sortByCount],
  ['$replaceRoot', replaceRoot(true)],
  ['$replaceWith', replaceRoot(false)],
  ['$sample', sample],
])

const needsWhole = /^\$(getField|setField|unsetField|top|topN|bottom|bottomN)$/

/** Returns the top-level fields that a pipeline's stages read of its input, or undefined if they may read any. */
export const neededFields = (stages: readonly Value[]): Set<string> | undefined =>
  stageFields(stages.find(stage => !(stage instanceof Doc && (stage.has('$limit') || stage.has('$skip')))))

const stageFields = (stage: Value | undefined): Set<string> | undefined => {
  const fields = new Set<string>()
  const collect = (value: Value): boolean => {
    if (typeof value === 'string' && value.startsWith('$')) {
      if (/^\$\$(ROOT|CURRENT)/.test(value)) return false
      if (!value.startsWith('$$')) fields.add(value.slice(1).split('.')[0]!)
    }
    if (Array.isArray(value)) return value.every(collect)
    return (
      !(value instanceof Doc) || [...value].every(([name, one]) => !needsWhole.test(name) && collect(one))
    )
  }
  if (!(stage instanceof Doc)) return undefined
  if (stage.has('$count')) return fields
  const spec = stage.get('$group') ?? stage.get('$sortByCount')
  return spec !== undefined && collect(spec) ? fields : undefined
}

/** The stages allowed in a pipeline update. */
export const updateStages = new Set([
  '$addFields',
  '$set',
  '$project',
  '$unset',
  '$replaceRoot',
  '$replaceWith',
])

export const stageName = (stage: Value): string => {
  if (!(stage instanceof Doc))
    throw new MongoError(14, "Each element of the 'pipeline' array must be an object")
  return stage.keys().next().value ?? ''
}
