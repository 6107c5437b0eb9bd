import { compareBy, sortPattern } from '../aggregate/sort.js'
import { compare, equal } from '../bson/compare.js'
import { arithmetic, asInteger } from '../bson/numbers.js'
import {
  Doc,
  dbRefNames,
  isNumeric,
  type Numeric,
  Regex,
  type Timestamp,
  typeName,
  type Value,
} from '../bson/values.js'
import { fail } from '../errors.js'
import { compileFilter } from '../match/filter.js'

/** Computes a field's new value from the old one; undefined for a missing field. */
type Change = (value: Value | undefined, path: string, now: () => Timestamp) => Value | undefined

/** A modifier compiled for one field. `creates`: whether it creates the path to a missing field. */
export type Modifier = { creates: boolean; onInsert?: boolean; change: Change }

const number = (value: Value, message: string): Numeric => (isNumeric(value) ? value : fail(14, message))

const inc = (argument: Value, path: string): Modifier => {
  const by = number(argument, `Cannot increment with non-numeric argument: {${path}: ${typeName(argument)}}`)
  return {
    creates: true,
    change(value) {
      if (value === undefined) return by
      const from = number(
        value,
        `Cannot apply $inc to a value of non-numeric type. {${path}: has the field of non-numeric type ${typeName(value)}}`,
      )
      return (
        arithmetic('add', from, by, true) ??
        fail(2, 'Failed to apply $inc operations: the result overflows an int64')
      )
    },
  }
}

const mul = (argument: Value, path: string): Modifier => {
  const by = number(argument, `Cannot multiply with non-numeric argument: {${path}: ${typeName(argument)}}`)
  return {
    creates: true,
    change(value) {
      const from =
        value === undefined
          ? 0
          : number(
              value,
              `Cannot apply $mul to a value of non-numeric type. {${path}: has the field of non-numeric type ${typeName(value)}}`,
            )
      return (
        arithmetic('multiply', from, by, true) ??
        fail(2, 'Failed to apply $mul operations: the result overflows an int64')
      )
    },
  }
}

const best =
  (sign: number) =>
  (argument: Value): Modifier => ({
    creates: true,
    change: value => (value === undefined || compare(argument, value) * sign > 0 ? argument : value),
  })

const array = (value: Value | undefined, path: string, code: number, message: string): Value[] => {
  if (value === undefined) return []
  return Array.isArray(value) ? value : fail(code, message.replace('%', path).replace('#', typeName(value)))
}

const clause = (name: string, value: Value | undefined): number | undefined =>
  value === undefined
    ? undefined
    : (asInteger(value) ??
      fail(2, `The value for ${name} must be an integer value but was given type: ${typeName(value)}`))

const push = (argument: Value): Modifier => {
  const spec = argument instanceof Doc && argument.has('$each') ? argument : undefined
  const each = spec ? spec.get('$each') : [argument]
  if (!Array.isArray(each))
    return fail(2, `The argument to $each in $push must be an array but it was of type: ${typeName(each)}`)
  if (spec)
    for (const name of spec.keys())
      if (!['$each', '$slice', '$sort', '$position'].includes(name))
        fail(2, `Unrecognized clause in $push: ${name}`)
  const slice = clause('$slice', spec?.get('$slice'))
  const position = clause('$position', spec?.get('$position'))
  const order = elementOrder(spec?.get('$sort'))
  return {
    creates: true,
    change(value, path) {
      const items = [...array(value, path, 2, "The field '%' must be an array but is of type #")]
      const at =
        position === undefined
          ? items.length
          : position < 0
            ? Math.max(items.length + position, 0)
            : Math.min(position, items.length)
      items.splice(at, 0, ...each)
      if (order) items.sort(order)
      if (slice === undefined) return items
      return slice < 0 ? items.slice(slice) : items.slice(0, slice)
    },
  }
}

const elementOrder = (sort: Value | undefined): ((a: Value, b: Value) => number) | undefined => {
  if (sort === undefined) return undefined
  if (!(sort instanceof Doc)) {
    const direction = asInteger(sort)
    if (direction !== 1 && direction !== -1)
      return fail(
        2,
        'The $sort is invalid: use 1/-1 to sort the whole element, or {field:1/-1} to sort embedded fields',
      )
    return (a, b) => compare(a, b) * direction
  }
  if (sort.size === 0) fail(2, 'The $sort pattern is empty when it should be a set of fields.')
  const order = compareBy(sortPattern(sort))
  const asDoc = (value: Value) => (value instanceof Doc ? value : new Doc())
  return (a, b) => order(asDoc(a), asDoc(b))
}

const addToSet = (argument: Value): Modifier => {
  const spec = argument instanceof Doc && argument.keys().next().value === '$each' ? argument : undefined
  if (spec && spec.size > 1) fail(2, 'Found unexpected fields after $each in $addToSet')
  const each = spec ? spec.get('$each') : [argument]
  if (!Array.isArray(each))
    return fail(
      14,
      `The argument to $each in $addToSet must be an array but it was of type ${typeName(each)}`,
    )
  return {
    creates: true,
    change(value, path) {
      const items = [
        ...array(
          value,
          path,
          2,
          "Cannot apply $addToSet to non-array field. Field named '%' has non-array type #",
        ),
      ]
      for (const item of each) if (!items.some(one => equal(one, item))) items.push(item)
      return items
    },
  }
}

const pop = (argument: Value, path: string): Modifier => {
  const end = isNumeric(argument)
    ? asInteger(argument)
    : fail(9, `Expected a number in: ${path}: ${typeName(argument)}`)
  if (end !== 1 && end !== -1) fail(9, `$pop expects 1 or -1, found: ${end}`)
  return {
    creates: false,
    change(value) {
      if (value === undefined) return undefined
      const items = array(value, path, 14, "Path '%' contains an element of non-array type '#'")
      return end === 1 ? items.slice(0, -1) : items.slice(1)
    },
  }
}

const without = (accepts: (item: Value) => boolean): Modifier => ({
  creates: false,
  change(value, path) {
    if (value === undefined) return undefined
    return array(value, path, 2, 'Cannot apply $pull to a non-array value').filter(item => !accepts(item))
  },
})

/** Operators on whole documents, which `$pull` applies to the array's documents. */
const fieldless = new Set(['$and', '$or', '$nor', ...dbRefNames])

const pull = (argument: Value): Modifier => {
  if (
    argument instanceof Regex ||
    (argument instanceof Doc &&
      [...argument.keys()][0]?.startsWith('$') &&
      !fieldless.has([...argument.keys()][0]!))
  ) {
    const condition = compileFilter(new Doc([['v', argument]]))
    return without(item => condition.test?.(item) ?? false)
  }
  if (argument instanceof Doc) {
    const condition = compileFilter(argument)
    return without(item => item instanceof Doc && condition.matches(item))
  }
  return without(item => equal(item, argument))
}

const pullAll = (argument: Value): Modifier => {
  if (!Array.isArray(argument))
    return fail(2, `$pullAll requires an array argument but was given a ${typeName(argument)}`)
  return without(item => argument.some(one => equal(one, item)))
}

const currentDate = (argument: Value): Modifier => {
  const kind = argument instanceof Doc && argument.size === 1 ? argument.get('$type') : argument
  if (kind === true || kind === false || kind === 'date') return { creates: true, change: () => new Date() }
  if (kind !== 'timestamp') return fail(2, `The '$type' string field is required to be 'date' or 'timestamp'`)
  return { creates: true, change: (_value, _path, now) => now() }
}

const bit = (argument: Value, path: string): Modifier => {
  if (!(argument instanceof Doc) || argument.size === 0)
    return fail(2, `The $bit modifier is not compatible with a ${typeName(argument)}`)
  for (const [name, value] of argument) {
    if (!['and', 'or', 'xor'].includes(name))
      fail(
        2,
        `The $bit modifier only supports 'and', 'or', and 'xor', not '${name}' which is an unknown operator`,
      )
    if (typeof value !== 'number' && typeof value !== 'bigint')
      fail(2, 'The $bit modifier field must be an Integer(32/64 bit)')
  }
  return {
    creates: true,
    change(value) {
      if (value !== undefined && typeof value !== 'number' && typeof value !== 'bigint')
        return fail(2, `Cannot apply $bit to a value of non-integral type: ${path}`)
      let now: number | bigint = value ?? 0
      for (const [name, operand] of argument as Map<string, number | bigint>) {
        const wide: boolean = typeof now === 'bigint' || typeof operand === 'bigint'
        const left = BigInt(now)
        const right = BigInt(operand)
        const result = BigInt.asIntN(
          64,
          name === 'and' ? left & right : name === 'or' ? left | right : left ^ right,
        )
        now = wide ? result : Number(result)
      }
      return now
    },
  }
}

/** Field modifiers by name. The caller handles `$rename`, which has two fields. */
export const modifiers: ReadonlyMap<string, (argument: Value, path: string) => Modifier> = new Map<
  string,
  (argument: Value, path: string) => Modifier
>([
  ['$set', argument => ({ creates: true, change: () => argument })],
  ['$setOnInsert', argument => ({ creates: true, onInsert: true, change: () => argument })],
  ['$unset', () => ({ creates: false, change: () => undefined })],
  ['$inc', inc],
  ['$mul', mul],
  ['$min', best(-1)],
  ['$max', best(1)],
  ['$push', push],
  ['$addToSet', addToSet],
  ['$pop', pop],
  ['$pull', pull],
  ['$pullAll', pullAll],
  ['$currentDate', currentDate],
  ['$bit', bit],
])
