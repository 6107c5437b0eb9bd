import { compileExpression, readsDocument } from '../aggregate/expressions.js'
import { truthy } from '../aggregate/operator.js'
import type { Variables } from '../aggregate/variables.js'
import { compare } from '../bson/compare.js'
import { asInteger, isNaNValue, toDouble, toLong } from '../bson/numbers.js'
import { stringIncludes } from '../bson/read.js'
import {
  Binary,
  Decimal128,
  Doc,
  Double,
  dbRefNames,
  isNumeric,
  MaxKey,
  MinKey,
  order,
  orderOf,
  Regex,
  Sym,
  typeName,
  typeOf,
  type Value,
} from '../bson/values.js'
import { fail } from '../errors.js'
import { visitPath } from './paths.js'
import { compileRegex, literalOf } from './regex.js'

/** The array position of a match, for the positional `$` of updates and projections. */
export type Position = { index?: number | undefined }

export type Comparison = '$eq' | '$lt' | '$lte' | '$gt' | '$gte'

type Matches = (doc: Doc, position?: Position) => boolean

type Tests = {
  /** Tests a document. Reads only the top-level fields in `fields`. */
  matches: Matches
  /** Top-level fields that `matches` reads; undefined if it may read the whole document. */
  fields: ReadonlySet<string> | undefined
  /** Tests a single value, for conditions inside `$elemMatch`. */
  test?: Test | undefined
  /** Tests a document's bytes without decoding it; undefined if the result is uncertain. */
  raw?: ((bytes: Buffer) => boolean | undefined) | undefined
}

/** A compiled condition. The planner reads its kind and the kind's fields. */
export type Condition = Tests &
  (
    | { kind: 'and' | 'or'; of: readonly Condition[] }
    | { kind: 'compare'; path: string; op: Comparison; value: Value }
    | { kind: 'in'; path: string; values: Value[] }
    | { kind: 'regex'; path: string; regex: Regex }
    | { kind: 'exists'; path: string }
    | { kind: 'elements'; path: string; of: Condition }
    | { kind: 'other' }
  )

export type FilterContext = {
  variables?: Variables | undefined
  /** Whether the variables have their final values, so that a plan may use them. */
  settled?: boolean
  /** Whether the condition applies to an array element, not to the whole document. */
  element?: boolean
}

type Test = (value: Value | undefined) => boolean

/**
 * Compiles a query.
 * @throws MongoError for unknown operators
 */
export const compileFilter = (filter: Doc, context: FilterContext = {}): Condition => {
  const of: Condition[] = []
  for (const [name, value] of filter)
    of.push(name.startsWith('$') ? topLevel(name, value, context) : field(name, value, context))
  return all(of)
}

/** Returns the conjunction of conditions. */
export const all = (of: readonly Condition[]): Condition =>
  of.length === 1
    ? of[0]!
    : {
        kind: 'and',
        of,
        fields: fieldsOf(of),
        matches(doc, position) {
          for (const one of of) if (!one.matches(doc, position)) return false
          return true
        },
        test: value => of.every(one => one.test?.(value)),
        raw: of.some(one => one.raw) ? bytes => combined(of, bytes, false) : undefined,
      }

const any = (of: readonly Condition[]): Condition => ({
  kind: 'or',
  of,
  fields: fieldsOf(of),
  matches: (doc, position) => of.some(one => one.matches(doc, position)),
  raw: of.every(one => one.raw) ? bytes => combined(of, bytes, true) : undefined,
})

/** Tests a document's bytes for several conditions; the first result equal to `decisive` decides. */
const combined = (of: readonly Condition[], bytes: Buffer, decisive: boolean): boolean | undefined => {
  let found: boolean | undefined = !decisive
  for (const one of of) {
    const own = one.raw?.(bytes)
    if (own === decisive) return decisive
    if (own === undefined) found = undefined
  }
  return found
}

/** Removes the conjuncts that are known to hold; returns undefined if none remains. */
export const without = (condition: Condition, known: ReadonlySet<Condition>): Condition | undefined => {
  if (known.has(condition)) return undefined
  if (condition.kind !== 'and') return condition
  const left = condition.of.flatMap(one => without(one, known) ?? [])
  if (left.length === 0) return undefined
  return left.every((one, i) => one === condition.of[i]) && left.length === condition.of.length
    ? condition
    : all(left)
}

const fieldsOf = (of: readonly Condition[]): Set<string> | undefined => {
  const fields = new Set<string>()
  for (const one of of) {
    if (!one.fields) return undefined
    for (const field of one.fields) fields.add(field)
  }
  return fields
}

const other = (matches: Matches, fields?: ReadonlySet<string>): Condition => ({
  kind: 'other',
  matches,
  fields,
})

const list = (name: string, value: Value, context: FilterContext): Condition[] => {
  if (!Array.isArray(value)) return fail(2, `${name} argument must be an array`)
  if (value.length === 0) fail(2, `${name} argument must be a non-empty array`)
  return value.map(one =>
    one instanceof Doc ? compileFilter(one, context) : fail(2, `${name} argument's entries must be objects`),
  )
}

const topLevel = (name: string, value: Value, context: FilterContext): Condition => {
  switch (name) {
    case '$and':
      return all(list(name, value, context))
    case '$or':
      return any(list(name, value, context))
    case '$nor': {
      const of = list(name, value, context)
      return other(doc => !of.some(one => one.matches(doc)), fieldsOf(of))
    }
    case '$expr': {
      if (context.element) return fail(2, '$expr can only be applied to the top-level document')
      const evaluate = compileExpression(value, context.variables)
      const whole = other(doc => truthy(evaluate(doc)))
      return context.settled ? all([...fixedFields(value, context), whole]) : whole
    }
    case '$ref':
    case '$id':
    case '$db':
      return compareCondition(name, '$eq', value)
    case '$comment':
      return all([])
    case '$alwaysTrue':
      return all([])
    case '$alwaysFalse':
      return other(() => false, new Set())
    case '$where':
      return fail(2, 'no globalScriptEngine in $where parsing')
    case '$text':
      return fail(27, 'text index required for $text query')
    case '$jsonSchema':
      return fail(238, '$jsonSchema is not supported')
    default:
      return fail(
        2,
        `unknown top level operator: ${name}. If you have a field name that starts with a '$' symbol, consider using $getField or $setField.`,
      )
  }
}

/** Returns whether a field's condition consists of operators. */
export const isOperators = (value: Value): value is Doc =>
  value instanceof Doc &&
  (value.keys().next().value?.startsWith('$') ?? false) &&
  !(value.has('$ref') && value.has('$id'))

/**
 * Converts the equalities of an `$expr` to conditions that an index can serve. Scalars only: arrays, null and
 * regexes compare differently in expressions and queries.
 */
const fixedFields = (spec: Value, context: FilterContext): Condition[] => {
  if (!(spec instanceof Doc)) return []
  const conjuncts = spec.get('$and')
  if (conjuncts !== undefined)
    return (Array.isArray(conjuncts) ? conjuncts : [conjuncts]).flatMap(one => fixedFields(one, context))
  const sides = spec.get('$eq')
  if (!Array.isArray(sides)) return []
  const path = sides.find(side => typeof side === 'string' && /^\$[^$]/.test(side))
  const other = sides.find(side => side !== path)
  if (typeof path !== 'string' || other === undefined || readsDocument(other) || isRandom(other)) return []
  const value = compileExpression(other, context.variables)(new Doc())
  if (value === undefined || value === null || Array.isArray(value) || value instanceof Regex) return []
  return value instanceof MinKey || value instanceof MaxKey
    ? []
    : [compareCondition(path.slice(1), '$eq', value)]
}

const isRandom = (spec: Value): boolean =>
  Array.isArray(spec)
    ? spec.some(isRandom)
    : spec instanceof Doc && [...spec].some(([name, inner]) => name === '$rand' || isRandom(inner))

const field = (path: string, value: Value, context: FilterContext): Condition => {
  if (value instanceof Regex) return regexCondition(path, value)
  if (!isOperators(value)) return compareCondition(path, '$eq', value)
  return all(operators(path, value, context))
}

const operators = (path: string, spec: Doc, context: FilterContext): Condition[] => {
  const of: Condition[] = []
  for (const [name, value] of spec) {
    if (name === '$options') {
      if (!spec.has('$regex')) fail(2, '$options needs a $regex')
    } else of.push(operator(path, name, value, spec, context))
  }
  return of
}

/** Returns a condition on the values at a path. With `leaves` it also tests the elements of an array at the end. */
const onPath = (path: string, test: Test, leaves = true) => {
  const parts = path.split('.')
  const matches = (doc: Doc, position?: Position) =>
    visitPath(doc, parts, leaves, (value, index) => {
      if (!test(value)) return false
      if (position && index !== undefined) position.index = index
      return true
    })
  return { matches, test, fields: new Set([parts[0]!]) }
}

const otherOnPath = (path: string, test: Test, leaves = true): Condition => ({
  kind: 'other',
  ...onPath(path, test, leaves),
})

const compareCondition = (path: string, op: Comparison, value: Value): Condition => ({
  kind: 'compare',
  path,
  op,
  value,
  ...onPath(path, comparison(op, value)),
})

const regexCondition = (path: string, regex: Regex): Condition => ({
  kind: 'regex',
  path,
  regex,
  ...onPath(path, regexTest(regex)),
  raw: rawRegex(path, regex),
})

/** Searches the bytes of a string field for a literal pattern. */
const rawRegex = (path: string, regex: Regex) => {
  const literal = literalOf(regex.pattern, regex.options)
  if (!literal) return undefined
  const names = path.split('.').map(name => Buffer.from(name))
  const wanted = Buffer.from(literal).toString('latin1')
  return (bytes: Buffer) => stringIncludes(bytes, names, wanted)
}

const not = (condition: Condition): Condition => ({
  kind: 'other',
  matches: doc => !condition.matches(doc),
  fields: condition.fields,
  test: value => !condition.test?.(value),
})

const holds: Record<Comparison, (found: number) => boolean> = {
  $eq: found => found === 0,
  $lt: found => found < 0,
  $lte: found => found <= 0,
  $gt: found => found > 0,
  $gte: found => found >= 0,
}

/** Returns the test of a query comparison: within one type class, with missing equal to null. */
const comparison = (op: Comparison, wanted: Value): Test => {
  if (wanted instanceof MinKey || wanted instanceof MaxKey) return value => holds[op](compare(value, wanted))
  if (wanted === null) {
    const accepts = op === '$eq' || op === '$lte' || op === '$gte'
    return value => accepts && (value === undefined || value === null)
  }
  if (isNumeric(wanted) && isNaNValue(wanted)) {
    const accepts = op === '$eq' || op === '$lte' || op === '$gte'
    return value => accepts && isNumeric(value) && isNaNValue(value)
  }
  const kind = orderOf(wanted)
  const accepts = holds[op]
  if (kind === order.number)
    return value =>
      isNumeric(value) && (op === '$eq' || !isNaNValue(value)) && accepts(compare(value, wanted))
  return value => value !== undefined && orderOf(value) === kind && accepts(compare(value, wanted))
}

const regexTest = (regex: Regex): Test => {
  const compiled = compileRegex(regex.pattern, regex.options)
  return value => {
    if (typeof value === 'string') return compiled.test(value)
    if (value instanceof Sym) return compiled.test(value.text)
    return value instanceof Regex && value.pattern === regex.pattern && value.options === regex.options
  }
}

const inCondition = (path: string, name: string, value: Value): Condition => {
  if (!Array.isArray(value)) return fail(2, `${name} needs an array`)
  for (const one of value) if (isOperators(one)) fail(2, `cannot nest $ under ${name}`)
  const regexes = value.filter(one => one instanceof Regex).map(regexTest)
  const plain = value.filter(one => !(one instanceof Regex)).sort(compare)
  const hasNull = plain.some(one => one === null)
  const texts = new Set(plain.filter(one => typeof one === 'string'))
  const test: Test = one => {
    if (one === undefined) return hasNull
    if (typeof one === 'string' ? texts.has(one) : includes(plain, one)) return true
    return regexes.some(regex => regex(one))
  }
  return { kind: 'in', path, values: value, ...onPath(path, test) }
}

const includes = (sorted: readonly Value[], value: Value) => {
  let low = 0
  let high = sorted.length - 1
  while (low <= high) {
    const middle = (low + high) >> 1
    const found = compare(sorted[middle], value)
    if (found === 0) return true
    if (found < 0) low = middle + 1
    else high = middle - 1
  }
  return false
}

const operator = (path: string, name: string, value: Value, spec: Doc, context: FilterContext): Condition => {
  switch (name) {
    case '$eq':
    case '$lt':
    case '$lte':
    case '$gt':
    case '$gte':
      if (value instanceof Regex && name !== '$eq')
        fail(2, `Can't have RegEx as arg to predicate over field '${path}'.`)
      return compareCondition(path, name, value)
    case '$ne':
      if (value instanceof Regex) fail(2, "Can't have regex as arg to $ne.")
      return not(compareCondition(path, '$eq', value))
    case '$in':
      return inCondition(path, name, value)
    case '$nin':
      return not(inCondition(path, name, value))
    case '$exists': {
      const exists: Condition = { kind: 'exists', path, ...onPath(path, found => found !== undefined, false) }
      return truthy(value) ? exists : not(exists)
    }
    case '$not': {
      if (value instanceof Regex) return not(regexCondition(path, value))
      if (!(value instanceof Doc)) return fail(2, '$not needs a regex or a document')
      if (value.size === 0) fail(2, '$not cannot be empty')
      for (const inner of value.keys()) if (!inner.startsWith('$')) fail(2, `unknown operator: ${inner}`)
      return not(all(operators(path, value, context)))
    }
    case '$regex':
      return regexOperator(path, value, spec.get('$options'))
    case '$size': {
      if (!isNumeric(value))
        return fail(2, `Failed to parse $size. Expected a number in: $size: ${typeName(value)}`)
      const size = asInteger(value) ?? fail(2, 'Failed to parse $size. Expected an integer')
      if (size < 0) fail(2, 'Failed to parse $size. Expected a non-negative number')
      return otherOnPath(path, found => Array.isArray(found) && found.length === size, false)
    }
    case '$all':
      return allOperator(path, value, context)
    case '$elemMatch':
      return elemMatch(path, value, context)
    case '$type':
      return typeOperator(path, value)
    case '$mod':
      return modOperator(path, value)
    case '$bitsAllSet':
    case '$bitsAnySet':
    case '$bitsAllClear':
    case '$bitsAnyClear':
      return bitsOperator(path, name, value)
    case '$near':
    case '$nearSphere':
      return fail(291, 'unable to find index for $geoNear query')
    case '$geoWithin':
    case '$geoIntersects':
      return fail(238, `${name} is not supported`)
    case '$comment':
      return all([])
    default:
      return fail(2, `unknown operator: ${name}`)
  }
}

const regexOperator = (path: string, value: Value, options: Value | undefined): Condition => {
  if (options !== undefined && typeof options !== 'string') return fail(2, '$options has to be a string')
  if (value instanceof Regex) {
    if (options && value.options) fail(51075, 'options set in both $regex and $options')
    return regexCondition(path, options === undefined ? value : new Regex(value.pattern, options))
  }
  if (typeof value !== 'string') return fail(2, '$regex has to be a string')
  return regexCondition(path, new Regex(value, options ?? ''))
}

const allOperator = (path: string, value: Value, context: FilterContext): Condition => {
  if (!Array.isArray(value)) return fail(2, '$all needs an array')
  if (value.length === 0) return other(() => false, new Set())
  const elements = value.map(one => one instanceof Doc && one.has('$elemMatch'))
  if (elements[0]) {
    return all(
      value.map(one =>
        one instanceof Doc && one.size === 1 && one.has('$elemMatch')
          ? elemMatch(path, one.get('$elemMatch')!, context)
          : fail(2, '$all/$elemMatch has to be consistent'),
      ),
    )
  }
  return all(
    value.map(one => {
      if (isOperators(one)) return fail(2, 'no $ expressions in $all')
      return one instanceof Regex ? regexCondition(path, one) : compareCondition(path, '$eq', one)
    }),
  )
}

const logical = new Set(['$and', '$or', '$nor', '$expr'])

const elemMatch = (path: string, value: Value, context: FilterContext): Condition => {
  if (!(value instanceof Doc)) return fail(2, '$elemMatch needs an Object')
  const parts = path.split('.')
  const first = value.keys().next().value
  const byValue =
    first?.startsWith('$') && !logical.has(first) && ![...dbRefNames].some(name => value.has(name))
  const inner = byValue
    ? all(operators('v', value, context))
    : compileFilter(value, { ...context, element: true })
  const accepts = (item: Value): boolean => {
    if (byValue) return inner.test?.(item) ?? false
    if (item instanceof Doc) return inner.matches(item)
    return Array.isArray(item) && inner.matches(new Doc(item.map((one, i) => [String(i), one])))
  }
  const matches = (doc: Doc, position?: Position) =>
    visitPath(doc, parts, false, (found, outer) => {
      if (!Array.isArray(found)) return false
      const index = found.findIndex(accepts)
      if (index < 0) return false
      if (position) position.index = outer ?? index
      return true
    })
  const test: Test = value => Array.isArray(value) && value.some(accepts)
  const fields = new Set([parts[0]!])
  return byValue
    ? { kind: 'other', matches, fields, test }
    : { kind: 'elements', path, of: inner, matches, fields, test }
}

const aliases = new Map<string, number>([
  ['double', 1],
  ['string', 2],
  ['object', 3],
  ['array', 4],
  ['binData', 5],
  ['undefined', 6],
  ['objectId', 7],
  ['bool', 8],
  ['date', 9],
  ['null', 10],
  ['regex', 11],
  ['dbPointer', 12],
  ['javascript', 13],
  ['symbol', 14],
  ['javascriptWithScope', 15],
  ['int', 16],
  ['timestamp', 17],
  ['long', 18],
  ['decimal', 19],
  ['minKey', -1],
  ['maxKey', 127],
])

const typeOperator = (path: string, value: Value): Condition => {
  const wanted = new Set<number>()
  for (const one of Array.isArray(value) ? value : [value]) {
    if (one === 'number') for (const number of [1, 16, 18, 19]) wanted.add(number)
    else if (typeof one === 'string')
      wanted.add(aliases.get(one) ?? fail(2, `Unknown type name alias: ${one}`))
    else {
      const number = asInteger(one) ?? fail(14, 'type must be represented as a number or a string')
      if (![...aliases.values()].includes(number)) fail(2, `Invalid numerical type code: ${number}`)
      wanted.add(number)
    }
  }
  if (wanted.size === 0) fail(9, '$type must match at least one type')
  return otherOnPath(path, found => found !== undefined && wanted.has(typeOf(found).number))
}

const modOperator = (path: string, value: Value): Condition => {
  if (!Array.isArray(value)) return fail(2, 'malformed mod, needs to be an array')
  if (value.length !== 2) fail(2, `malformed mod, ${value.length < 2 ? 'not enough' : 'too many'} elements`)
  const [divisor, rest] = value.map(one =>
    isNumeric(one) ? toLong(one) : fail(2, 'malformed mod, divisor and remainder must be numbers'),
  )
  if (divisor === 0n) fail(2, 'divisor cannot be 0')
  return otherOnPath(path, found => {
    if (!isNumeric(found) || !Number.isFinite(toDouble(found)) || Math.abs(toDouble(found)) >= 2 ** 63)
      return false
    return toLong(found) % divisor! === rest
  })
}

const bitsOperator = (path: string, name: string, value: Value): Condition => {
  let mask = 0n
  if (Array.isArray(value)) {
    for (const one of value) {
      const bit = asInteger(one)
      if (bit === undefined || bit < 0)
        return fail(2, `Failed to parse bit position. Expected a non-negative number in: ${name}`)
      mask |= 1n << BigInt(Math.min(bit, 63))
    }
  } else if (value instanceof Binary) mask = fromBytes(value.bytes)
  else {
    const number = asInteger(value)
    if (number === undefined || number < 0) return fail(2, `${name} takes an Array, a number, or a BinData`)
    mask = BigInt(number)
  }
  const accepts = (bits: bigint) => {
    if (name === '$bitsAllSet') return (bits & mask) === mask
    if (name === '$bitsAnySet') return (bits & mask) !== 0n
    return name === '$bitsAllClear' ? (bits & mask) === 0n : (bits & mask) !== mask
  }
  return otherOnPath(path, found => {
    if (found instanceof Binary) return accepts(fromBytes(found.bytes))
    if (typeof found === 'bigint') return accepts(BigInt.asUintN(64, found))
    if (typeof found !== 'number' && !(found instanceof Double) && !(found instanceof Decimal128))
      return false
    const number = asInteger(found)
    return number !== undefined && accepts(BigInt.asUintN(64, BigInt(number)))
  })
}

const fromBytes = (bytes: Buffer) => {
  let bits = 0n
  for (let i = bytes.length - 1; i >= 0; i--) bits = (bits << 8n) | BigInt(bytes[i]!)
  return bits
}
