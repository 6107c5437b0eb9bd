import { compare } from '../bson/compare.js'
import { asInteger, divide, Total } from '../bson/numbers.js'
import { maxGathered, sizeOf } from '../bson/size.js'
import { Doc, Double, isNumeric, typeName, type Value } from '../bson/values.js'
import { fail } from '../errors.js'
import { encodeKey } from '../indexes/key.js'
import { type Compile, missing, namedSpecs } from './operator.js'
import { deviation } from './operators.js'
import { compareBy, sortPattern } from './sort.js'

/** Accumulates the values of one group. */
export type Accumulator = { add(doc: Doc): void; result(): Value }

type Gather = { add(value: Value | undefined): void; result(): Value }

const simple =
  (make: () => Gather) =>
  (spec: Value, compile: Compile): (() => Accumulator) => {
    const evaluate = compile(spec)
    return () => {
      const gather = make()
      return { add: doc => gather.add(evaluate(doc)), result: () => gather.result() }
    }
  }

const sum = (): Gather => {
  const total = new Total()
  return {
    add(value) {
      if (isNumeric(value)) total.add(value)
    },
    result: () => total.result(),
  }
}

const average = (): Gather => {
  const total = new Total()
  let size = 0
  return {
    add(value) {
      if (!isNumeric(value)) return
      total.add(value)
      size++
    },
    result: () => (size === 0 ? null : divide(total.result(), new Double(size))),
  }
}

const best = (sign: number) => (): Gather => {
  let found: Value | undefined
  return {
    add(value) {
      if (!missing(value) && (found === undefined || compare(value, found) * sign > 0)) found = value
    },
    result: () => found ?? null,
  }
}

const first = (): Gather => {
  let found: Value | undefined
  let seen = false
  return {
    add(value) {
      if (!seen) found = value
      seen = true
    },
    result: () => found ?? null,
  }
}

const last = (): Gather => {
  let found: Value | undefined
  return {
    add(value) {
      found = value
    },
    result: () => found ?? null,
  }
}

/** Counts the bytes of an accumulator and enforces MongoDB's memory limit (146). */
const memory = (name: string) => {
  let used = 0
  return (value: Value) => {
    used += sizeOf(value)
    if (used > maxGathered)
      fail(
        146,
        `${name} used too much memory and cannot spill to disk. Used: ${used} bytes. Memory limit: ${maxGathered} bytes`,
      )
  }
}

const push = (): Gather => {
  const items: Value[] = []
  const count = memory('$push')
  return {
    add(value) {
      if (value === undefined) return
      count(value)
      items.push(value)
    },
    result: () => items,
  }
}

const addToSet = (): Gather => {
  const items = new Map<string, Value>()
  const count = memory('$addToSet')
  return {
    add(value) {
      if (value === undefined) return
      const key = groupKey(value)
      if (items.has(key)) return
      count(value)
      items.set(key, value)
    },
    result: () => [...items.values()],
  }
}

const mergeObjects = (): Gather => {
  const made = new Doc()
  return {
    add(value) {
      if (missing(value)) return
      if (!(value instanceof Doc))
        fail(40400, `$mergeObjects requires object inputs, but input is of type ${typeName(value)}`)
      for (const [name, one] of value as Doc) made.set(name, one)
    },
    result: () => made,
  }
}

const spread = (sample: boolean) => (): Gather => {
  const items: Value[] = []
  return {
    add(value) {
      if (isNumeric(value)) items.push(value)
    },
    result: () => deviation(items, sample),
  }
}

const countOf = (spec: Value): (() => Accumulator) => {
  if (!(spec instanceof Doc) || spec.size > 0) fail(14, '$count takes no arguments, i.e. $count:{}')
  return simple(sum)(1, value => () => value)
}

const size = (name: string, spec: Value | undefined): number => {
  const n = asInteger(spec)
  return n === undefined || n <= 0 ? fail(5787908, `'n' must be a positive integer for ${name}`) : n
}

/** Defines `$firstN`, `$lastN`, `$minN` or `$maxN`. */
const many =
  (name: string, keep: (items: Value[], n: number) => Value[]) =>
  (spec: Value, compile: Compile): (() => Accumulator) => {
    const named = new Map(namedSpecs(name, spec, ['input', 'n'], []))
    const n = size(name, named.get('n'))
    const input = compile(named.get('input')!)
    return () => {
      const items: Value[] = []
      return {
        add: doc => void items.push(input(doc) ?? null),
        result: () => keep(items, n),
      }
    }
  }

const ordered = (sign: number) => (items: Value[], n: number) =>
  items
    .filter(item => item !== null)
    .sort((a, b) => compare(a, b) * sign)
    .slice(0, n)

/** Defines `$top`, `$bottom` or one of their N forms, which have a sort pattern. */
const ranked =
  (name: string, bottom: boolean, plural: boolean) =>
  (spec: Value, compile: Compile): (() => Accumulator) => {
    const named = new Map(
      namedSpecs(name, spec, plural ? ['sortBy', 'output', 'n'] : ['sortBy', 'output'], []),
    )
    const by = named.get('sortBy')
    if (!(by instanceof Doc)) return fail(10065, 'sortBy must be an object')
    const order = compareBy(sortPattern(by))
    const n = plural ? size(name, named.get('n')) : 1
    const output = compile(named.get('output')!)
    return () => {
      const docs: Doc[] = []
      return {
        add: doc => void docs.push(doc),
        result() {
          const sorted = docs.sort(order)
          const kept = (bottom ? sorted.slice(-n) : sorted.slice(0, n)).map(doc => output(doc) ?? null)
          return plural ? kept : (kept[0] ?? null)
        },
      }
    }
  }

/** The accumulators of `$group` by name. */
export const accumulators: ReadonlyMap<string, (spec: Value, compile: Compile) => () => Accumulator> =
  new Map([
    ['$sum', simple(sum)],
    ['$avg', simple(average)],
    ['$min', simple(best(-1))],
    ['$max', simple(best(1))],
    ['$first', simple(first)],
    ['$last', simple(last)],
    ['$push', simple(push)],
    ['$addToSet', simple(addToSet)],
    ['$mergeObjects', simple(mergeObjects)],
    ['$stdDevPop', simple(spread(false))],
    ['$stdDevSamp', simple(spread(true))],
    ['$count', countOf],
    ['$firstN', many('$firstN', (items, n) => items.slice(0, n))],
    ['$lastN', many('$lastN', (items, n) => items.slice(-n))],
    ['$minN', many('$minN', ordered(1))],
    ['$maxN', many('$maxN', ordered(-1))],
    ['$top', ranked('$top', false, false)],
    ['$bottom', ranked('$bottom', true, false)],
    ['$topN', ranked('$topN', false, true)],
    ['$bottomN', ranked('$bottomN', true, true)],
  ])

/** Returns the group key of a value: equal texts for equal values. */
export const groupKey = (value: Value | undefined): string => {
  if (typeof value === 'string') return `s${value}`
  return `k${encodeKey([value], [1]).bytes.toString('latin1')}`
}
