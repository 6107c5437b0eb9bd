import { compilePipeline, type PipelineContext, stageName, updateStages } from '../aggregate/pipeline.js'
import { equal } from '../bson/compare.js'
import { readDoc } from '../bson/read.js'
import { Doc, dbRefNames, Regex, Timestamp, typeName, type Value } from '../bson/values.js'
import { writeDoc } from '../bson/write.js'
import { fail, MongoError } from '../errors.js'
import { type Condition, compileFilter, isOperators } from '../match/filter.js'
import { type Modifier, modifiers } from './modifiers.js'

/** Returns the server's time. Each call returns a later one. */
export type Now = () => Timestamp

/** The context of an update: the array position of the query's match, and whether the update inserts. */
export type UpdateContext = { index?: number | undefined; inserting?: boolean; now: Now }

/** Sets empty timestamps at the document's top level to the current time, as MongoDB does. */
export const fillTimestamps = (doc: Doc, now: Now): Doc => {
  for (const [name, value] of doc)
    if (name !== '_id' && value instanceof Timestamp && value.seconds === 0 && value.ordinal === 0)
      doc.set(name, now())
  return doc
}

/** A compiled update: returns the changed document. It may change its argument in place. */
export type Update = {
  kind: 'modifiers' | 'replacement' | 'pipeline'
  apply(doc: Doc, updateContext: UpdateContext): Doc
}

type Step = { parts: readonly string[]; path: string; apply(doc: Doc, updateContext: UpdateContext): void }

type ArrayFilters = Map<string, { condition: Condition; used: boolean }>

/** Compiles an update: modifiers, replacement or pipeline. */
export const compileUpdate = (
  spec: Value,
  context: PipelineContext,
  arrayFilters: readonly Value[] = [],
): Update => {
  if (Array.isArray(spec)) return pipelineUpdate(spec, context, arrayFilters)
  if (!(spec instanceof Doc)) return fail(9, 'Update argument must be either an object or an array')
  const first = spec.keys().next().value
  if (first === undefined || !first.startsWith('$')) return replacement(spec, arrayFilters)
  const filters = compileArrayFilters(arrayFilters)
  const steps: Step[] = []
  for (const [name, fields] of spec) {
    const make = modifiers.get(name)
    if (!make && name !== '$rename')
      fail(
        9,
        `Unknown modifier: ${name}. Expected a valid update modifier or pipeline-style update specified as an array`,
      )
    if (!(fields instanceof Doc))
      return fail(
        9,
        `Modifiers operate on fields but we found type ${typeName(fields)} instead. For example: {$mod: {<field>: ...}} not {${name}: ${typeName(fields)}}`,
      )
    for (const [path, argument] of fields) {
      const parts = pathParts(path)
      if (make) steps.push(modifierStep(parts, path, make(argument, path), filters))
      else steps.push(...renameSteps(parts, path, argument))
    }
  }
  steps.sort((a, b) => comparePaths(a.parts, b.parts))
  checkConflicts(steps)
  for (const [name, filter] of filters)
    if (!filter.used) fail(9, `The array filter for identifier '${name}' was not used in the update`)
  const touchesId = steps.some(({ parts }) => parts[0] === '_id')
  return {
    kind: 'modifiers',
    apply(doc, updateContext) {
      // A modifier may change a document `_id` in place, so keep its bytes for the comparison.
      const id = touchesId && doc.has('_id') ? writeDoc(new Doc([['_id', doc.get('_id')!]])) : undefined
      for (const step of steps) step.apply(doc, updateContext)
      if (id && !equal(readDoc(id).get('_id'), doc.get('_id'))) immutableId()
      return idFirst(doc)
    },
  }
}

const immutableId = () =>
  fail(66, "Performing an update on the path '_id' would modify the immutable field '_id'")

/** Moves `_id` to the front, which is the stored order. */
export const idFirst = (doc: Doc): Doc => {
  if (doc.keys().next().value === '_id' || !doc.has('_id')) return doc
  const made = new Doc([['_id', doc.get('_id')!]])
  for (const [name, value] of doc) made.set(name, value)
  return made
}

const replacement = (spec: Doc, arrayFilters: readonly Value[]): Update => {
  if (arrayFilters.length > 0) fail(9, 'arrayFilters may not be specified for replacement-style updates')
  return {
    kind: 'replacement',
    apply(doc, { inserting, now }) {
      const id = doc.get('_id')
      const made = new Doc(spec)
      const given = made.get('_id')
      if (id !== undefined) {
        if (given !== undefined && !equal(given, id))
          fail(66, "After applying the update, the (immutable) field '_id' was found to have been altered")
        made.set('_id', id)
      }
      if (!inserting) for (const name of made.keys()) checkName(made, name)
      return idFirst(fillTimestamps(made, now))
    },
  }
}

/**
 * Rejects names with a dollar at a document's top level, where only an insert may set them. The fields of a DBRef are
 * allowed in their order.
 */
const checkName = (doc: Doc, name: string) => {
  if (!name.startsWith('$')) return
  if (!dbRefNames.has(name))
    fail(
      52,
      `The dollar ($) prefixed field '${name}' in '${name}' is not allowed in the context of an update's replacement document. Consider using an aggregation pipeline with $replaceWith.`,
    )
  const names = [...doc.keys()]
  const at = names.indexOf(name)
  if (name === '$db' && names[at - 1] !== '$id')
    fail(55, 'Found $db field without a $id before it, which is invalid.')
  if (name === '$id' && names[at - 1] !== '$ref')
    fail(55, 'Found $id field without a $ref before it, which is invalid.')
  if (name === '$ref' && names[at + 1] !== '$id')
    fail(55, 'The DBRef $ref field must be followed by a $id field')
  if (name !== '$id' && typeof doc.get(name) !== 'string')
    fail(55, `The DBRef ${name} field must be a String, not a ${typeName(doc.get(name))}`)
}

const pipelineUpdate = (
  stages: readonly Value[],
  context: PipelineContext,
  arrayFilters: readonly Value[],
): Update => {
  if (arrayFilters.length > 0) fail(9, 'arrayFilters may not be specified for pipeline-style updates')
  for (const stage of stages) {
    const name = stageName(stage)
    if (!updateStages.has(name)) fail(72, `${name} is not allowed to be used within an update`)
  }
  const run = compilePipeline([...stages], context)
  return {
    kind: 'pipeline',
    apply(doc) {
      const id = doc.get('_id')
      const [made] = run([doc])
      const now = new Doc(made as Doc)
      if (id !== undefined) {
        if (now.has('_id') && !equal(now.get('_id'), id))
          fail(66, "After applying the update, the (immutable) field '_id' was found to have been altered")
        now.set('_id', id)
      }
      return idFirst(now)
    },
  }
}

const pathParts = (path: string): string[] => {
  if (path === '') fail(56, 'An empty update path is not valid.')
  const parts = path.split('.')
  if (parts.length > 200) fail(15, 'An update path may have at most 200 parts')
  for (const [i, part] of parts.entries()) {
    if (part === '') fail(56, `The update path '${path}' contains an empty field name, which is not allowed.`)
    if (i === 0 && isDynamic(part))
      fail(2, `Cannot have positional (i.e. '$') element in the first position in path '${path}'`)
  }
  if (parts.filter(part => part === '$').length > 1)
    fail(2, `Too many positional (i.e. '$') elements found in path '${path}'`)
  return parts
}

/** Returns whether a path component selects array elements: `$`, `$[]` or `$[name]`. */
const isDynamic = (part: string) => part === '$' || (part.startsWith('$[') && part.endsWith(']'))

const numeric = /^(0|[1-9]\d*)$/

/** Compares paths: new fields are added in the order of their names (numbers by value). */
const comparePaths = (a: readonly string[], b: readonly string[]): number => {
  for (let i = 0; i < Math.min(a.length, b.length); i++) {
    const left = a[i]!
    const right = b[i]!
    if (left === right) continue
    if (numeric.test(left) && numeric.test(right)) return Number(left) - Number(right)
    return left < right ? -1 : 1
  }
  return a.length - b.length
}

const checkConflicts = (steps: readonly Step[]) => {
  for (let i = 1; i < steps.length; i++) {
    const before = steps[i - 1]!
    const { parts, path } = steps[i]!
    if (before.parts.length <= parts.length && before.parts.every((part, j) => part === parts[j]))
      fail(40, `Updating the path '${path}' would create a conflict at '${before.path}'`)
  }
}

const modifierStep = (
  parts: readonly string[],
  path: string,
  modifier: Modifier,
  filters: ArrayFilters,
): Step => {
  for (const part of parts) {
    const name = isDynamic(part) && part.length > 3 ? part.slice(2, -1) : undefined
    if (name === undefined) continue
    const filter = filters.get(name)
    if (!filter) fail(2, `No array filter found for identifier '${name}' in path '${path}'`)
    else filter.used = true
  }
  return {
    parts,
    path,
    apply(doc, updateContext) {
      if (modifier.onInsert && !updateContext.inserting) return
      descend(doc, parts, 0, modifier, path, updateContext, filters)
    },
  }
}

type Container = Doc | Value[]

const read = (container: Container, name: string): Value | undefined =>
  container instanceof Doc ? container.get(name) : container[Number(name)]

const write = (container: Container, name: string, value: Value | undefined) => {
  if (container instanceof Doc) {
    if (value === undefined) container.delete(name)
    else container.set(name, value)
    return
  }
  const index = Number(name)
  // Unsetting an array element sets null, so that the positions of the others do not change.
  if (value === undefined) {
    if (index < container.length) container[index] = null
    return
  }
  if (index - container.length > 1_500_000) fail(2, `cannot backfill array to larger than 1500000 elements`)
  while (container.length < index) container.push(null)
  container[index] = value
}

const descend = (
  container: Container,
  parts: readonly string[],
  from: number,
  modifier: Modifier,
  path: string,
  updateContext: UpdateContext,
  filters: ArrayFilters,
): void => {
  let name = parts[from]!
  if (name === '$') {
    if (updateContext.index === undefined)
      fail(2, 'The positional operator did not find the match needed from the query.')
    name = String(updateContext.index)
  }
  if (name !== '$' && isDynamic(name)) {
    if (!Array.isArray(container))
      throw new MongoError(2, `Cannot apply array updates to non-array element ${parts[from - 1]}`)
    const filter = filters.get(name.slice(2, -1))
    for (let i = 0; i < container.length; i++) {
      if (filter && !filter.condition.matches(new Doc([['v', container[i]!]]))) continue
      step(container, String(i), parts, from, modifier, path, updateContext, filters)
    }
    return
  }
  if (Array.isArray(container) && !numeric.test(name)) {
    if (!modifier.creates) return
    fail(28, `Cannot create field '${name}' in element {${parts[from - 1]}: array}`)
  }
  step(container, name, parts, from, modifier, path, updateContext, filters)
}

const step = (
  container: Container,
  name: string,
  parts: readonly string[],
  from: number,
  modifier: Modifier,
  path: string,
  updateContext: UpdateContext,
  filters: ArrayFilters,
): void => {
  const value = read(container, name)
  if (from === parts.length - 1) {
    const now = modifier.change(value, path, updateContext.now)
    if (now === value && value !== undefined) return
    write(container, name, now)
    if (from === 0) checkTop(container, name, now, updateContext)
    return
  }
  if (value instanceof Doc || Array.isArray(value)) {
    descend(value, parts, from + 1, modifier, path, updateContext, filters)
    return
  }
  if (!modifier.creates) return
  if (value !== undefined) {
    if (isDynamic(parts[from + 1]!))
      fail(2, `Cannot apply array updates to non-array element ${name}: ${typeName(value)}`)
    fail(28, `Cannot create field '${parts[from + 1]}' in element {${name}: ${typeName(value)}}`)
  }
  const wild = parts.slice(from + 1).find(isDynamic)
  if (wild)
    fail(
      2,
      `The path '${parts.slice(0, from + 1).join('.')}' must exist in the document in order to apply array updates.`,
    )
  const made = new Doc()
  descend(made, parts, from + 1, modifier, path, updateContext, filters)
  write(container, name, made)
  if (from === 0) checkTop(container, name, made, updateContext)
}

const checkTop = (
  container: Container,
  name: string,
  value: Value | undefined,
  { inserting }: UpdateContext,
) => {
  if (!inserting && value !== undefined && container instanceof Doc) checkName(container, name)
}

const renameSteps = (parts: readonly string[], path: string, target: Value): Step[] => {
  if (typeof target !== 'string')
    return fail(2, `The 'to' field for $rename must be a string: ${path}: ${typeName(target)}`)
  const to = pathParts(target)
  if (path === target) fail(2, `The source and target field for $rename must differ: ${path}: "${target}"`)
  for (const part of [...parts, ...to])
    if (isDynamic(part)) fail(2, `The source field for $rename may not be dynamic: ${path}`)
  const parentOf = (doc: Doc, names: readonly string[], role: string): Doc | undefined => {
    let value: Value | undefined = doc
    for (const name of names.slice(0, -1)) {
      if (Array.isArray(value))
        fail(2, `The ${role} field cannot be an array element, '${names.join('.')}' in doc`)
      value = value instanceof Doc ? value.get(name) : undefined
    }
    if (Array.isArray(value))
      fail(2, `The ${role} field cannot be an array element, '${names.join('.')}' in doc`)
    return value instanceof Doc ? value : undefined
  }
  const set = (value: Value): Modifier => ({ creates: true, change: () => value })
  return [
    { parts, path, apply() {} },
    {
      parts: to,
      path: target,
      apply(doc, updateContext) {
        const source = parentOf(doc, parts, 'source')
        const value = source?.get(parts.at(-1)!)
        if (!source || value === undefined) return
        parentOf(doc, to, 'destination')
        source.delete(parts.at(-1)!)
        descend(doc, to, 0, set(value), target, updateContext, new Map())
      },
    },
  ]
}

/** Compiles the array filters, by identifier; each tests an element in the field `v`. */
const compileArrayFilters = (specs: readonly Value[]): ArrayFilters => {
  const filters: ArrayFilters = new Map()
  for (const spec of specs) {
    if (!(spec instanceof Doc)) return fail(14, 'Each array filter must be an object')
    const names = new Set<string>()
    const inner = renamed(spec, names)
    if (names.size === 0) fail(9, 'Cannot use an expression without a top-level field name in arrayFilters')
    if (names.size > 1)
      fail(
        9,
        `Error parsing array filter :: caused by :: Expected a single top-level field name, found '${[...names].join("' and '")}'`,
      )
    const [name] = names
    if (!/^[a-z][a-zA-Z0-9]*$/.test(name!))
      fail(
        2,
        `Error parsing array filter :: caused by :: The top-level field name must be an alphanumeric string beginning with a lowercase letter, found '${name}'`,
      )
    if (filters.has(name!)) fail(9, `Found multiple array filters with the same top-level field name ${name}`)
    filters.set(name!, { condition: compileFilter(inner), used: false })
  }
  return filters
}

const renamed = (spec: Doc, names: Set<string>): Doc => {
  const made = new Doc()
  for (const [path, value] of spec) {
    if (path.startsWith('$') && Array.isArray(value)) {
      made.set(
        path,
        value.map(one => (one instanceof Doc ? renamed(one, names) : one)),
      )
      continue
    }
    const [name, ...rest] = path.split('.')
    names.add(name!)
    made.set(['v', ...rest].join('.'), value)
  }
  return made
}

/** Returns the initial document of an upsert: the fields for which its query has an equality. */
export const upsertSeed = (filter: Doc, onlyId: boolean): Doc => {
  const fixed = new Map<string, Value>()
  const fix = (path: string, value: Value) => {
    if (onlyId && path !== '_id') return
    if (fixed.has(path)) fail(54, `cannot infer query fields to set, path '${path}' is matched twice`)
    fixed.set(path, value)
  }
  collectFixed(filter, fix)
  const seed = new Doc()
  const paths = [...fixed.keys()]
  for (const path of paths)
    for (const other of paths)
      if (other.startsWith(`${path}.`))
        fail(54, `cannot infer query fields to set, both paths '${path}' and '${other}' are matched`)
  for (const [path, value] of fixed) {
    let at = seed
    const parts = path.split('.')
    for (const part of parts.slice(0, -1)) {
      const found = at.get(part)
      const next = found instanceof Doc ? found : new Doc()
      at.set(part, next)
      at = next
    }
    at.set(parts.at(-1)!, value)
  }
  return seed
}

const collectFixed = (filter: Doc, fix: (path: string, value: Value) => void) => {
  for (const [name, value] of filter) {
    if (name === '$and' || (name === '$or' && Array.isArray(value) && value.length === 1)) {
      for (const one of value as Value[]) collectFixed(one as Doc, fix)
    } else if (name.startsWith('$') || value instanceof Regex) continue
    else if (isOperators(value)) {
      const wanted = value.get('$eq')
      if (wanted !== undefined) fix(name, wanted)
      for (const operator of ['$in', '$all']) {
        const list = value.get(operator)
        if (
          Array.isArray(list) &&
          list.length === 1 &&
          !(list[0] instanceof Regex) &&
          !(list[0] instanceof Doc && list[0].has('$elemMatch'))
        )
          fix(name, list[0]!)
      }
    } else fix(name, value)
  }
}
