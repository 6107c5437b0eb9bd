import { compare } from '../bson/compare.js'
import { arithmetic, asInteger, divide, modulo, roundTo, Total, toDouble } from '../bson/numbers.js'
import { Decimal128, Doc, Double, isNumeric, type Numeric, typeName, type Value } from '../bson/values.js'
import { fail } from '../errors.js'
import {
  type Compile,
  checkVariable,
  type Evaluate,
  missing,
  namedSpecs,
  type Operator,
  truthy,
  withArguments,
} from './operator.js'
import { arrayOperators } from './operators-arrays.js'
import { dateOperators } from './operators-dates.js'
import { stringOperators } from './operators-strings.js'
import { typeOperators } from './operators-types.js'
import { Variables } from './variables.js'

const numberOr = (code: number, name: string, value: Value): Numeric =>
  isNumeric(value) ? value : fail(code, `${name} only supports numeric types, not ${typeName(value)}`)

const inDate = (time: number): Date => {
  const date = new Date(time)
  return Number.isNaN(date.getTime()) ? fail(15, 'date overflow') : date
}

const add = (values: (Value | undefined)[]): Value => {
  let sum: Numeric = 0
  let date = false
  for (const value of values) {
    if (missing(value)) return null
    if (value instanceof Date) {
      if (date) fail(16612, 'only one date allowed in an $add expression')
      date = true
      sum = arithmetic('add', sum, BigInt(value.getTime()))!
    } else {
      if (!isNumeric(value)) fail(14, `$add only supports numeric or date types, not ${typeName(value)}`)
      sum = arithmetic('add', sum, value as Numeric)!
    }
  }
  return date ? inDate(Math.round(toDouble(sum))) : sum
}

const subtract = ([left, right]: (Value | undefined)[]): Value => {
  if (missing(left) || missing(right)) return null
  if (left instanceof Date) {
    if (right instanceof Date) return BigInt(left.getTime() - right.getTime())
    if (isNumeric(right)) return inDate(left.getTime() - Math.round(toDouble(right)))
  }
  if (!isNumeric(left) || !isNumeric(right))
    return fail(14, `can't $subtract ${typeName(right)} from ${typeName(left)}`)
  return arithmetic('subtract', left, right)!
}

const multiply = (values: (Value | undefined)[]): Value => {
  let product: Numeric = 1
  for (const value of values) {
    if (missing(value)) return null
    product = arithmetic('multiply', product, numberOr(14, '$multiply', value))!
  }
  return product
}

const divided = ([left, right]: (Value | undefined)[]): Value => {
  if (missing(left) || missing(right)) return null
  if (!isNumeric(left) || !isNumeric(right))
    return fail(14, `$divide only supports numeric types, not ${typeName(left)} and ${typeName(right)}`)
  if (toDouble(right) === 0) fail(2, "can't $divide by zero")
  return divide(left, right)
}

const remainder = ([left, right]: (Value | undefined)[]): Value => {
  if (missing(left) || missing(right)) return null
  if (!isNumeric(left) || !isNumeric(right))
    return fail(16611, `$mod only supports numeric types, not ${typeName(left)} and ${typeName(right)}`)
  if (toDouble(right) === 0) fail(16610, "can't $mod by zero")
  return modulo(left, right)
}

/** Defines an operator of one number; null yields null. */
const ofNumber = (name: string, apply: (value: Numeric) => Value): Operator =>
  withArguments(name, 1, 1, ([value]) => (missing(value) ? null : apply(numberOr(28765, name, value))))

const real = (name: string, apply: (value: number) => number): Operator =>
  ofNumber(name, value =>
    value instanceof Decimal128
      ? Decimal128.fromString(String(apply(toDouble(value))))
      : new Double(apply(toDouble(value))),
  )

const absolute = (value: Numeric): Value => {
  if (value instanceof Decimal128)
    return toDouble(value) < 0 ? arithmetic('subtract', Decimal128.fromString('0'), value)! : value
  if (value instanceof Double) return new Double(Math.abs(value.value))
  if (value === -(1n << 63n)) fail(28680, "can't take $abs of long long min")
  return toDouble(value) < 0 ? arithmetic('subtract', 0, value)! : value
}

const rounding = (name: '$round' | '$trunc'): Operator =>
  withArguments(name, 1, 2, ([value, place]) => {
    if (missing(value) || (place !== undefined && missing(place))) return null
    const digits =
      place === undefined
        ? 0
        : (asInteger(place) ?? fail(51082, `precision argument to ${name} must be an integral value`))
    if (digits < -20 || digits > 100)
      fail(51083, `cannot apply ${name} with precision value ${digits} value must be in [-20, 100]`)
    return roundTo(numberOr(51081, name, value), digits, name === '$round' ? 'round' : 'trunc')
  })

const power = ([base, exponent]: (Value | undefined)[]): Value => {
  if (missing(base) || missing(exponent)) return null
  const left = numberOr(28762, "$pow's base", base)
  const right = numberOr(28763, "$pow's exponent", exponent)
  if (toDouble(left) === 0 && toDouble(right) < 0)
    fail(28764, '$pow cannot take a base of 0 and a negative exponent')
  const result = toDouble(left) ** toDouble(right)
  if (left instanceof Decimal128 || right instanceof Decimal128) return Decimal128.fromString(String(result))
  const integers = !(left instanceof Double) && !(right instanceof Double)
  if (!integers || toDouble(right) < 0) return new Double(result)
  const exact = BigInt(left) ** BigInt(right)
  if (exact < -(1n << 63n) || exact >= 1n << 63n) return new Double(result)
  const small =
    typeof left === 'number' && typeof right === 'number' && exact >= -2147483648n && exact <= 2147483647n
  return small ? Number(exact) : exact
}

const comparing = (name: string, accepts: (found: number) => Value): Operator =>
  withArguments(name, 2, 2, ([left, right]) => {
    // In expressions, unlike in queries, a missing value sorts below null.
    if (left === undefined || right === undefined)
      return accepts(Number(left !== undefined) - Number(right !== undefined) || 0)
    return accepts(Math.sign(compare(left, right)))
  })

const cond: Operator = (spec, compile) => {
  let parts: Value[]
  if (spec instanceof Doc) {
    parts = ['if', 'then', 'else'].map(
      name => spec.get(name) ?? fail(17080, `Missing '${name}' parameter to $cond`),
    )
    if (spec.size > 3) fail(17083, 'Unrecognized parameter to $cond')
  } else parts = Array.isArray(spec) ? spec : [spec]
  if (parts.length !== 3)
    fail(16020, `Expression $cond takes exactly 3 arguments. ${parts.length} were passed in.`)
  const [test, yes, no] = parts.map(one => compile(one))
  return doc => (truthy(test!(doc)) ? yes!(doc) : no!(doc))
}

const ifNull: Operator = (spec, compile) => {
  const inner = (Array.isArray(spec) ? spec : [spec]).map(one => compile(one))
  if (inner.length < 2) fail(1257300, `$ifNull needs at least two arguments, had: ${inner.length}`)
  return doc => {
    let value: Value | undefined
    for (const evaluate of inner) {
      value = evaluate(doc)
      if (!missing(value)) return value
    }
    return value
  }
}

const switched: Operator = (spec, compile) => {
  if (!(spec instanceof Doc)) return fail(40060, '$switch requires an object as an argument')
  for (const name of spec.keys())
    if (name !== 'branches' && name !== 'default') fail(40067, `$switch found an unknown argument: ${name}`)
  const branches = spec.get('branches')
  if (!Array.isArray(branches)) return fail(40061, '$switch expected an array for branches')
  if (branches.length === 0) fail(40068, '$switch requires at least one branch')
  const cases = branches.map(branch => {
    if (!(branch instanceof Doc)) return fail(40062, '$switch expected each branch to be an object')
    const when = branch.get('case') ?? fail(40066, "$switch requires each branch have a 'case' expression")
    const then = branch.get('then') ?? fail(40065, "$switch requires each branch have a 'then' expression")
    return [compile(when), compile(then)] as const
  })
  const otherwise = spec.has('default') ? compile(spec.get('default')!) : undefined
  return doc => {
    for (const [when, then] of cases) if (truthy(when(doc))) return then(doc)
    if (!otherwise)
      return fail(
        40069,
        '$switch could not find a matching branch for an input, and no default was specified.',
      )
    return otherwise(doc)
  }
}

const letIn: Operator = (spec, compile, variables) => {
  const named = new Map(namedSpecs('$let', spec, ['vars', 'in'], []))
  const vars = named.get('vars')
  if (!(vars instanceof Doc)) return fail(10065, 'invalid parameter: expected an object (vars)')
  const scope = new Variables(variables)
  const sets = [...vars]
    .map(([name, value]) => [checkVariable(name), compile(value)] as const)
    .map(([name, evaluate]) => ({ slot: scope.define(name), evaluate }))
  const inner = compile(named.get('in')!, scope)
  return doc => {
    const values = sets.map(({ evaluate }) => evaluate(doc))
    for (const [i, { slot }] of sets.entries()) slot.value = values[i]
    return inner(doc)
  }
}

const merge = (values: (Value | undefined)[]): Value => {
  const made = new Doc()
  for (const value of values.length === 1 && Array.isArray(values[0]) ? values[0] : values) {
    if (missing(value)) continue
    if (!(value instanceof Doc))
      return fail(40400, `$mergeObjects requires object inputs, but input is of type ${typeName(value)}`)
    for (const [name, one] of value) made.set(name, one)
  }
  return made
}

const getField: Operator = (spec, compile) => {
  const named =
    spec instanceof Doc && spec.has('field')
      ? new Map(namedSpecs('$getField', spec, ['field'], ['input']))
      : new Map([['field', spec]])
  const name = compile(named.get('field')!)
  const input = named.has('input') ? compile(named.get('input')!) : undefined
  return doc => {
    const key = name(doc)
    if (typeof key !== 'string') return fail(3041704, "$getField requires 'field' to evaluate to type String")
    const from = input ? input(doc) : doc
    if (missing(from)) return from
    return from instanceof Doc ? from.get(key) : undefined
  }
}

const setField =
  (name: '$setField' | '$unsetField'): Operator =>
  (spec, compile) => {
    const named = new Map(
      namedSpecs(name, spec, name === '$setField' ? ['field', 'input', 'value'] : ['field', 'input'], []),
    )
    const field = compile(named.get('field')!)
    const input = compile(named.get('input')!)
    const value = named.has('value') ? compile(named.get('value')!) : () => undefined
    return doc => {
      const key = field(doc)
      if (typeof key !== 'string') return fail(4161107, `${name} requires 'field' to evaluate to type String`)
      const from = input(doc)
      if (missing(from)) return null
      if (!(from instanceof Doc)) return fail(4161105, `${name} requires 'input' to evaluate to type Object`)
      const made = new Doc(from)
      const now = value(doc)
      if (now === undefined) made.delete(key)
      else made.set(key, now)
      return made
    }
  }

/** Defines `$sum` and similar operators as expressions: over the arguments, or over the elements of a single array. */
const overList =
  (apply: (values: Value[]) => Value): Operator =>
  (spec, compile) => {
    const inner = (Array.isArray(spec) ? spec : [spec]).map(one => compile(one))
    return doc => {
      const values = inner.map(evaluate => evaluate(doc))
      const list = values.length === 1 && Array.isArray(values[0]) ? values[0] : values
      return apply(list.filter(one => one !== undefined))
    }
  }

/** Returns the sum of the numeric values; 0 if there are none. */
const sumOf = (values: readonly Value[]): Numeric => {
  const total = new Total()
  for (const value of values) if (isNumeric(value)) total.add(value)
  return total.result()
}

const averageOf = (values: readonly Value[]): Value => {
  const numbers = values.filter(isNumeric)
  return numbers.length === 0 ? null : divide(sumOf(numbers), new Double(numbers.length))
}

const best =
  (sign: number) =>
  (values: readonly Value[]): Value => {
    let found: Value = null
    for (const value of values)
      if (!missing(value) && (found === null || compare(value, found) * sign > 0)) found = value
    return found
  }

/** Returns the standard deviation of the numeric values. */
export const deviation = (values: readonly Value[], sample: boolean): Value => {
  const numbers = values.filter(isNumeric).map(toDouble)
  const size = numbers.length - (sample ? 1 : 0)
  if (size <= 0) return null
  const mean = numbers.reduce((sum, one) => sum + one, 0) / numbers.length
  return new Double(Math.sqrt(numbers.reduce((sum, one) => sum + (one - mean) ** 2, 0) / size))
}

const logarithm = ([value, base]: (Value | undefined)[]): Value => {
  if (missing(value) || missing(base)) return null
  const number = toDouble(numberOr(28756, "$log's argument", value))
  const root = toDouble(numberOr(28757, "$log's base", base))
  if (number <= 0) fail(28758, `$log's argument must be a positive number, but is ${number}`)
  if (root <= 0 || root === 1)
    fail(28759, `$log's base must be a positive number not equal to 1, but is ${root}`)
  return new Double(Math.log(number) / Math.log(root))
}

const positive = (name: string, code: number, apply: (value: number) => number): Operator =>
  real(name, value =>
    value <= 0 ? fail(code, `${name}'s argument must be a positive number, but is ${value}`) : apply(value),
  )

const refused = (name: string): [string, Operator] => [name, () => fail(238, `${name} is not supported`)]

/** The expression operators by name. */
export const operators: ReadonlyMap<string, Operator> = new Map<string, Operator>([
  ['$literal', spec => () => spec],
  ['$const', spec => () => spec],
  ['$add', withArguments('$add', 0, 1e9, add)],
  ['$subtract', withArguments('$subtract', 2, 2, subtract)],
  ['$multiply', withArguments('$multiply', 0, 1e9, multiply)],
  ['$divide', withArguments('$divide', 2, 2, divided)],
  ['$mod', withArguments('$mod', 2, 2, remainder)],
  ['$abs', ofNumber('$abs', absolute)],
  ['$ceil', ofNumber('$ceil', value => roundTo(value, 0, 'ceil'))],
  ['$floor', ofNumber('$floor', value => roundTo(value, 0, 'floor'))],
  ['$round', rounding('$round')],
  ['$trunc', rounding('$trunc')],
  [
    '$sqrt',
    real('$sqrt', value =>
      value < 0 ? fail(28714, "$sqrt's argument must be greater than or equal to 0") : Math.sqrt(value),
    ),
  ],
  ['$pow', withArguments('$pow', 2, 2, power)],
  ['$exp', real('$exp', Math.exp)],
  ['$ln', positive('$ln', 28766, Math.log)],
  ['$log10', positive('$log10', 28761, Math.log10)],
  ['$log', withArguments('$log', 2, 2, logarithm)],
  ['$rand', () => () => new Double(Math.random())],
  ['$eq', comparing('$eq', found => found === 0)],
  ['$ne', comparing('$ne', found => found !== 0)],
  ['$lt', comparing('$lt', found => found < 0)],
  ['$lte', comparing('$lte', found => found <= 0)],
  ['$gt', comparing('$gt', found => found > 0)],
  ['$gte', comparing('$gte', found => found >= 0)],
  ['$cmp', comparing('$cmp', found => found)],
  ['$and', (spec, compile) => junction(spec, compile, false)],
  ['$or', (spec, compile) => junction(spec, compile, true)],
  ['$not', withArguments('$not', 1, 1, ([value]) => !truthy(value))],
  ['$cond', cond],
  ['$ifNull', ifNull],
  ['$switch', switched],
  ['$let', letIn],
  ['$mergeObjects', withArguments('$mergeObjects', 0, 1e9, merge)],
  ['$getField', getField],
  ['$setField', setField('$setField')],
  ['$unsetField', setField('$unsetField')],
  ['$sum', overList(sumOf)],
  ['$avg', overList(averageOf)],
  ['$min', overList(best(-1))],
  ['$max', overList(best(1))],
  ['$stdDevPop', overList(values => deviation(values, false))],
  ['$stdDevSamp', overList(values => deviation(values, true))],
  ...arrayOperators,
  ...stringOperators,
  ...typeOperators,
  ...dateOperators,
  refused('$where'),
  refused('$function'),
  refused('$accumulator'),
  refused('$meta'),
])

const junction = (spec: Value, compile: Compile, stopAt: boolean): Evaluate => {
  const inner = (Array.isArray(spec) ? spec : [spec]).map(one => compile(one))
  return doc => {
    for (const evaluate of inner) if (truthy(evaluate(doc)) === stopAt) return stopAt
    return !stopAt
  }
}
