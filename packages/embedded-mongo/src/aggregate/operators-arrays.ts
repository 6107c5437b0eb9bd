import { compare, equal } from '../bson/compare.js'
import { asInteger } from '../bson/numbers.js'
import { Doc, typeName, type Value } from '../bson/values.js'
import { fail } from '../errors.js'
import { checkTime } from '../slices.js'
import {
  checkVariable,
  missing,
  namedSpecs,
  type Operator,
  truthy,
  withArguments,
  withNames,
} from './operator.js'
import { compareBy, sortPattern } from './sort.js'
import { Variables } from './variables.js'

type Args = (Value | undefined)[]

const list = (code: number, name: string, value: Value | undefined): Value[] =>
  Array.isArray(value) ? value : fail(code, `${name}'s argument must be an array, but is ${typeName(value)}`)

const integer = (code: number, name: string, value: Value | undefined): number =>
  asInteger(value) ?? fail(code, `${name} requires an integral value, but found ${typeName(value)}`)

const at = (items: readonly Value[], index: number) => items[index < 0 ? items.length + index : index]

/**
 * Defines `$map`, `$filter` and similar operators: an array, a variable for its elements, and an expression over them.
 */
const each = (
  name: string,
  body: string,
  required: readonly string[],
  optional: readonly string[],
  apply: (items: Value[], run: (item: Value) => Value | undefined, limit: Value | undefined) => Value,
): Operator => {
  return (spec, compile, variables) => {
    const named = new Map(namedSpecs(name, spec, required, optional))
    const as = named.get('as') ?? 'this'
    if (typeof as !== 'string') return fail(16866, `${name} 'as' must be a string`)
    const scope = new Variables(variables)
    const slot = scope.define(checkVariable(as))
    const input = compile(named.get('input')!)
    const inner = compile(named.get(body)!, scope)
    const limit = named.has('limit') ? compile(named.get('limit')!) : undefined
    return doc => {
      const items = input(doc)
      if (missing(items)) return null
      const run = (item: Value) => {
        checkTime()
        slot.value = item
        return inner(doc)
      }
      return apply(list(name === '$map' ? 16883 : 28651, name, items), run, limit?.(doc))
    }
  }
}

const reduce: Operator = (spec, compile, variables) => {
  const named = new Map(namedSpecs('$reduce', spec, ['input', 'initialValue', 'in'], []))
  const scope = new Variables(variables)
  const item = scope.define('this')
  const total = scope.define('value')
  const input = compile(named.get('input')!)
  const initial = compile(named.get('initialValue')!)
  const inner = compile(named.get('in')!, scope)
  return doc => {
    const items = input(doc)
    if (missing(items)) return null
    let value = initial(doc)
    for (const one of list(40080, '$reduce', items)) {
      checkTime()
      item.value = one
      total.value = value
      value = inner(doc)
    }
    return value
  }
}

const slice = ([items, first, second]: Args): Value => {
  if (missing(items) || missing(first) || (second !== undefined && missing(second))) return null
  const all = list(28724, '$slice', items)
  const from = integer(28725, '$slice', first)
  if (second === undefined) return from < 0 ? all.slice(from) : all.slice(0, from)
  const size = integer(28727, '$slice', second)
  if (size <= 0) fail(28729, 'Third argument to $slice must be positive')
  const start = from < 0 ? Math.max(all.length + from, 0) : from
  return all.slice(start, start + size)
}

const range = ([first, last, by]: Args): Value => {
  const from = integer(34443, '$range', first)
  const to = integer(34445, '$range', last)
  const step = by === undefined ? 1 : integer(34447, '$range', by)
  if (step === 0) fail(34449, '$range requires a non-zero step value')
  if ((to - from) / step > 1_000_000) fail(146, '$range would use too much memory')
  const items: Value[] = []
  for (let i = from; step > 0 ? i < to : i > to; i += step) items.push(i)
  return items
}

const indexOf = ([items, wanted, first, last]: Args): Value => {
  if (missing(items)) return null
  const all = list(40090, '$indexOfArray', items)
  const from = first === undefined ? 0 : integer(40096, '$indexOfArray', first)
  const to = Math.min(last === undefined ? all.length : integer(40096, '$indexOfArray', last), all.length)
  for (let i = from; i < to; i++) if (wanted !== undefined && equal(all[i], wanted)) return i
  return -1
}

const objectToArray = ([value]: Args): Value => {
  if (missing(value)) return null
  if (!(value instanceof Doc))
    return fail(40390, `$objectToArray requires a document input, found: ${typeName(value)}`)
  return [...value].map(([k, v]) => Doc.of({ k, v }))
}

const arrayToObject = ([value]: Args): Value => {
  if (missing(value)) return null
  const made = new Doc()
  for (const item of list(40386, '$arrayToObject', value)) {
    const pair = item instanceof Doc ? [item.get('k'), item.get('v')] : item
    if (!Array.isArray(pair) || pair.length !== 2) return fail(40396, '$arrayToObject needs pairs')
    if (typeof pair[0] !== 'string')
      return fail(40394, "$arrayToObject requires an object with keys 'k' and 'v', where 'k' is a string")
    if (pair[1] !== undefined) made.set(pair[0], pair[1])
  }
  return made
}

const zip = withNames(
  '$zip',
  ['inputs'],
  ['useLongestLength', 'defaults'],
  ({ inputs, useLongestLength, defaults }) => {
    if (missing(inputs)) return null
    const lists = list(34461, '$zip', inputs)
    if (lists.some(missing)) return null
    const all = lists.map(one => list(34468, '$zip', one))
    const longest = truthy(useLongestLength)
    if (defaults !== undefined && !longest)
      fail(34466, 'cannot specify defaults unless useLongestLength is true')
    const fill = Array.isArray(defaults) ? defaults : []
    const size = longest
      ? Math.max(0, ...all.map(one => one.length))
      : Math.min(...all.map(one => one.length))
    return Array.from({ length: size }, (_, i) => all.map((one, j) => one[i] ?? fill[j] ?? null))
  },
)

const distinct = (items: readonly Value[]): Value[] => {
  const sorted = [...items].sort(compare)
  return sorted.filter((item, i) => i === 0 || !equal(item, sorted[i - 1]))
}

const contains = (items: readonly Value[], value: Value) =>
  items.some(one => {
    checkTime()
    return equal(one, value)
  })

const set = (name: string, apply: (lists: Value[][]) => Value): Operator =>
  withArguments(name, 0, 1e9, values => {
    if (values.some(missing))
      return name === '$setEquals' || name === '$setIsSubset'
        ? fail(17044, `All operands of ${name} must be arrays`)
        : null
    return apply(values.map(one => list(17044, name, one)))
  })

const nth = (name: string, sign: number): Operator =>
  withNames(name, ['input', 'n'], [], ({ input, n }) => {
    const count = integer(5787902, name, n)
    if (count <= 0) fail(5787908, `'n' must be greater than 0, found ${count}`)
    if (missing(input)) return null
    const items = list(5788200, name, input)
    return sign === 0
      ? name === '$firstN'
        ? items.slice(0, count)
        : items.slice(-count)
      : items
          .filter(one => !missing(one))
          .sort((a, b) => compare(a, b) * sign)
          .slice(0, count)
  })

const sortArray: Operator = (spec, compile) => {
  const named = new Map(namedSpecs('$sortArray', spec, ['input', 'sortBy'], []))
  const input = compile(named.get('input')!)
  const by = named.get('sortBy')!
  const order = by instanceof Doc ? compareBy(sortPattern(by)) : undefined
  const direction = by instanceof Doc ? 1 : (asInteger(by) ?? fail(2942505, 'Illegal sort specification'))
  return doc => {
    const items = input(doc)
    if (missing(items)) return null
    const all = [...list(2942504, '$sortArray', items)]
    if (!order) return all.sort((a, b) => compare(a, b) * direction)
    const asDoc = (value: Value) => (value instanceof Doc ? value : new Doc())
    return all.sort((a, b) => order(asDoc(a), asDoc(b)))
  }
}

export const arrayOperators: [string, Operator][] = [
  ['$size', withArguments('$size', 1, 1, ([value]) => list(17124, '$size', value).length)],
  ['$isArray', withArguments('$isArray', 1, 1, ([value]) => Array.isArray(value))],
  [
    '$arrayElemAt',
    withArguments('$arrayElemAt', 2, 2, ([items, index]) =>
      missing(items) || missing(index)
        ? null
        : at(list(28689, '$arrayElemAt', items), integer(28690, '$arrayElemAt', index)),
    ),
  ],
  [
    '$first',
    withArguments('$first', 1, 1, ([items]) => (missing(items) ? null : list(28689, '$first', items)[0])),
  ],
  [
    '$last',
    withArguments('$last', 1, 1, ([items]) => (missing(items) ? null : list(28689, '$last', items).at(-1))),
  ],
  ['$firstN', nth('$firstN', 0)],
  ['$lastN', nth('$lastN', 0)],
  ['$minN', nth('$minN', 1)],
  ['$maxN', nth('$maxN', -1)],
  ['$slice', withArguments('$slice', 2, 3, slice)],
  [
    '$concatArrays',
    withArguments('$concatArrays', 0, 1e9, values =>
      values.some(missing) ? null : values.flatMap(one => list(28664, '$concatArrays', one)),
    ),
  ],
  [
    '$in',
    withArguments('$in', 2, 2, ([value, items]) =>
      Array.isArray(items)
        ? value !== undefined && contains(items, value)
        : fail(40081, `$in requires an array as a second argument, found: ${typeName(items)}`),
    ),
  ],
  ['$indexOfArray', withArguments('$indexOfArray', 2, 4, indexOf)],
  ['$map', each('$map', 'in', ['input', 'in'], ['as'], (items, run) => items.map(item => run(item) ?? null))],
  [
    '$filter',
    each('$filter', 'cond', ['input', 'cond'], ['as', 'limit'], (items, run, limit) => {
      const most = missing(limit) ? items.length : integer(327391, '$filter', limit)
      if (most < 1 && !missing(limit)) fail(327392, "$filter: 'limit' must be greater than 0")
      const kept: Value[] = []
      for (const item of items) {
        if (kept.length >= most) break
        if (truthy(run(item))) kept.push(item)
      }
      return kept
    }),
  ],
  ['$reduce', reduce],
  ['$range', withArguments('$range', 2, 3, range)],
  [
    '$reverseArray',
    withArguments('$reverseArray', 1, 1, ([items]) =>
      missing(items) ? null : [...list(34435, '$reverseArray', items)].reverse(),
    ),
  ],
  ['$zip', zip],
  ['$sortArray', sortArray],
  ['$objectToArray', withArguments('$objectToArray', 1, 1, objectToArray)],
  ['$arrayToObject', withArguments('$arrayToObject', 1, 1, arrayToObject)],
  ['$setUnion', set('$setUnion', lists => distinct(lists.flat()))],
  [
    '$setIntersection',
    set('$setIntersection', lists =>
      distinct(lists[0] ?? []).filter(item => lists.every(one => contains(one, item))),
    ),
  ],
  [
    '$setDifference',
    set('$setDifference', ([left, right]) => dedupe(left ?? []).filter(item => !contains(right ?? [], item))),
  ],
  [
    '$setEquals',
    set('$setEquals', lists => {
      const [first, ...rest] = lists.map(distinct)
      return rest.every(one => compare(one, first) === 0)
    }),
  ],
  [
    '$setIsSubset',
    set('$setIsSubset', ([left, right]) => (left ?? []).every(item => contains(right ?? [], item))),
  ],
  [
    '$anyElementTrue',
    withArguments('$anyElementTrue', 1, 1, ([items]) => list(17041, '$anyElementTrue', items).some(truthy)),
  ],
  [
    '$allElementsTrue',
    withArguments('$allElementsTrue', 1, 1, ([items]) =>
      list(17040, '$allElementsTrue', items).every(truthy),
    ),
  ],
]

const dedupe = (items: readonly Value[]): Value[] => {
  const kept: Value[] = []
  for (const item of items) if (!contains(kept, item)) kept.push(item)
  return kept
}
