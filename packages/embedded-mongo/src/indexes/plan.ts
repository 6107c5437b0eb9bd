import type { SortPart } from '../aggregate/sort.js'
import { compare, equal } from '../bson/compare.js'
import { asInteger, isNaNValue } from '../bson/numbers.js'
import { Doc, isNumeric, MaxKey, MinKey, orderOf, Regex, type Value } from '../bson/values.js'
import { fail } from '../errors.js'
import { type Comparison, type Condition, compileFilter } from '../match/filter.js'
import { literalPrefix } from '../match/regex.js'
import type { CollectionInfo, IndexInfo } from '../storage/catalog.js'
import { after, classBounds, emptyArray, encodeBound, type KeyValue, longestKey, type Range } from './key.js'

/** A query plan. Its documents are checked against the whole condition again. */
export type Plan =
  | { kind: 'scan'; reverse: boolean }
  | { kind: 'index'; index: IndexInfo; ranges: Range[]; reverse: boolean; sorted: boolean }
  | { kind: 'union'; of: Plan[] }

const mostRanges = 500
const numericName = /^\d+$/

/** The conjunction's conditions, those of `$elemMatch` with their full paths. */
const conjuncts = (condition: Condition, prefix = ''): Condition[] => {
  if (condition.kind === 'and') return condition.of.flatMap(one => conjuncts(one, prefix))
  if (condition.kind === 'elements') return conjuncts(condition.of, `${prefix}${condition.path}.`)
  if ('path' in condition && prefix !== '') return [{ ...condition, path: prefix + condition.path }]
  if (condition.kind === 'or' && prefix !== '') return []
  return [condition]
}

/** Chooses a plan for a condition, in the requested order if an index provides it. */
export const choosePlan = (
  info: CollectionInfo,
  condition: Condition,
  sort: readonly SortPart[] = [],
  hint?: Value,
): Plan => {
  if (hint !== undefined && !(hint instanceof Doc && hint.size === 0))
    return hintedPlan(info, condition, sort, hint)
  const all = conjuncts(condition)
  let best: Plan | undefined
  let bestScore = 0
  for (const index of info.indexes) {
    if (index.hidden || !usable(index, all)) continue
    const { plan, score } = indexPlan(index, all, sort)
    if (score > bestScore) {
      best = plan
      bestScore = score
    }
  }
  if (bestScore < 10) {
    for (const one of all) {
      if (one.kind !== 'or') continue
      const of = one.of.map(branch =>
        choosePlan(info, {
          kind: 'and',
          of: [branch, ...all.filter(other => other !== one)],
          matches: () => true,
        }),
      )
      if (of.every(plan => plan.kind !== 'scan')) return { kind: 'union', of }
    }
  }
  return best ?? { kind: 'scan', reverse: false }
}

const hintedPlan = (
  info: CollectionInfo,
  condition: Condition,
  sort: readonly SortPart[],
  hint: Value,
): Plan => {
  if (hint instanceof Doc && hint.has('$natural'))
    return { kind: 'scan', reverse: asInteger(hint.get('$natural')) === -1 }
  const index = findIndex(info, hint)
  if (!index || index.hidden)
    return fail(
      2,
      'error processing query: planner returned error :: caused by :: hint provided does not correspond to an existing index',
    )
  const all = conjuncts(condition)
  // As MongoDB's manual says, a hinted sparse index may omit documents from the result; a partial one may
  // not.
  if (index.filter && !usable({ ...index, sparse: false }, all))
    fail(291, 'error processing query: planner returned error :: caused by :: No query solutions')
  return indexPlan(index, all, sort).plan
}

/** The index with a name or key pattern. */
export const findIndex = (info: CollectionInfo, hint: Value): IndexInfo | undefined =>
  info.indexes.find(index =>
    typeof hint === 'string' ? index.name === hint : hint instanceof Doc && equal(index.key, hint),
  )

/** Whether a condition matches only documents that have the field. */
const needsField = (condition: Condition): boolean => {
  switch (condition.kind) {
    case 'compare':
      return (
        condition.value !== null &&
        !(condition.value instanceof MinKey) &&
        !(condition.value instanceof MaxKey)
      )
    case 'in':
      return !condition.values.some(value => value === null)
    case 'regex':
    case 'exists':
      return true
    default:
      return false
  }
}

const pathOf = (condition: Condition) => ('path' in condition ? condition.path : undefined)

const usable = (index: IndexInfo, all: readonly Condition[]): boolean => {
  if (index.paths.some(parts => parts.some(part => numericName.test(part)))) return false
  if (index.sparse && !all.some(one => needsField(one) && index.key.has(pathOf(one) ?? ''))) return false
  return (
    !index.filter ||
    conjuncts(compileFilter(index.filter)).every(wanted => all.some(given => implies(given, wanted)))
  )
}

/** Whether every document that matches `given` matches `wanted`. Conservative: false when in doubt. */
const implies = (given: Condition, wanted: Condition): boolean => {
  if (pathOf(given) === undefined || pathOf(given) !== pathOf(wanted)) return false
  if (wanted.kind === 'exists') return needsField(given)
  if (wanted.kind !== 'compare') return false
  const accepts = (value: Value) =>
    !Array.isArray(value) && !(value instanceof Regex) && (wanted.test?.(value) ?? false)
  if (given.kind === 'in') return given.values.length > 0 && given.values.every(accepts)
  if (given.kind !== 'compare') return false
  if (given.op === '$eq')
    return accepts(given.value) || (wanted.op === '$eq' && equal(given.value, wanted.value))
  if (given.op[1] !== wanted.op[1] || orderOf(given.value) !== orderOf(wanted.value)) return false
  const found = compare(given.value, wanted.value) * (given.op.startsWith('$g') ? 1 : -1)
  return found > 0 || (found === 0 && (given.op === wanted.op || wanted.op.endsWith('e')))
}

/**
 * The index for a `distinct` of `path`: the condition consists of equalities on exactly the index fields
 * before `path`. Each distinct value then takes one index lookup, whatever the number of documents.
 */
export const distinctPlan = (
  info: CollectionInfo,
  condition: Condition,
  path: string,
): { index: IndexInfo; prefix: Buffer } | undefined => {
  const all = conjuncts(condition)
  const equals = new Map<string, Value>()
  for (const one of all) {
    if (one.kind !== 'compare' || one.op !== '$eq' || one.value === null) return undefined
    if (Array.isArray(one.value) || one.value instanceof Regex || equals.has(one.path)) return undefined
    equals.set(one.path, one.value)
  }
  for (const index of info.indexes) {
    if (index.hidden || index.multikey || index.cut || index.sparse || index.filter || !usable(index, all))
      continue
    const names = [...index.key.keys()]
    const before = names.slice(0, equals.size)
    if (names[equals.size] !== path || !before.every(name => equals.has(name))) continue
    const prefix = before.map((name, i) => encodeBound(equals.get(name)!, index.directions[i]!))
    return { index, prefix: Buffer.concat(prefix) }
  }
  return undefined
}

type Bounds = { kind: 'points' | 'range'; ranges: Range[] }

const point = (value: KeyValue, direction: number): Range => {
  const from = encodeBound(value, direction)
  return { from, to: after(from) }
}

const points = (values: readonly Value[], direction: number): Bounds | undefined => {
  const ranges: Range[] = []
  for (const value of values) {
    // An array is indexed under its elements (search the first), and as an element of an outer array.
    if (Array.isArray(value)) ranges.push(point(value.length === 0 ? emptyArray : value[0], direction))
    ranges.push(point(value, direction))
  }
  return { kind: 'points', ranges: merged(ranges) }
}

const merged = (ranges: Range[]): Range[] => {
  const sorted = ranges.sort((a, b) => Buffer.compare(a.from, b.from) || Buffer.compare(b.to, a.to))
  return sorted.filter((range, i) => i === 0 || !range.from.equals(sorted[i - 1]!.from))
}

const comparisonRange = (op: Comparison, value: Value, direction: number): Bounds | undefined => {
  if (
    value === null ||
    Array.isArray(value) ||
    value instanceof MinKey ||
    value instanceof MaxKey ||
    value instanceof Regex
  )
    return undefined
  if (isNumeric(value) && isNaNValue(value))
    return op === '$gte' || op === '$lte' ? points([value], direction) : undefined
  const [first, last] = classBounds(orderOf(value), direction)
  const at = encodeBound(value, direction)
  const upwards = op.startsWith('$g') === direction > 0
  const inclusive = op.endsWith('e')
  const range = upwards
    ? { from: inclusive ? at : after(at), to: last }
    : { from: first, to: inclusive ? after(at) : at }
  return { kind: 'range', ranges: [range] }
}

const regexRange = (regex: Regex, direction: number): Bounds | undefined => {
  const prefix = literalPrefix(regex.pattern, regex.options)
  if (prefix === undefined) return undefined
  // Texts end in two zero bytes. Without these, the bytes are a prefix of every longer text.
  const whole = encodeBound(prefix, direction)
  const from = whole.subarray(0, whole.length - 2)
  return { kind: 'range', ranges: merged([{ from, to: after(from) }, point(regex, direction)]) }
}

const boundsOf = (condition: Condition, direction: number): Bounds | undefined => {
  switch (condition.kind) {
    case 'compare':
      return condition.op === '$eq'
        ? points([condition.value], direction)
        : comparisonRange(condition.op, condition.value, direction)
    case 'in':
      return condition.values.some(value => value instanceof Regex)
        ? undefined
        : points(condition.values, direction)
    case 'regex':
      return regexRange(condition.regex, direction)
    default:
      return undefined
  }
}

/**
 * The bounds of one index field: the fewest points, else the ranges' intersection (multikey: the first
 * range).
 */
const fieldBounds = (
  path: string,
  all: readonly Condition[],
  direction: number,
  multikey: boolean,
): Bounds | undefined => {
  const found = all.filter(one => pathOf(one) === path).flatMap(one => boundsOf(one, direction) ?? [])
  const exact = found
    .filter(one => one.kind === 'points')
    .sort((a, b) => a.ranges.length - b.ranges.length)[0]
  if (exact) return exact
  const [first, ...rest] = found
  if (!first || multikey) return first
  return rest.reduce((bounds, other) => {
    if (bounds.ranges.length !== 1 || other.ranges.length !== 1) return bounds
    const [a, b] = [bounds.ranges[0]!, other.ranges[0]!]
    const from = Buffer.compare(a.from, b.from) > 0 ? a.from : b.from
    const to = Buffer.compare(a.to, b.to) < 0 ? a.to : b.to
    return { kind: 'range', ranges: Buffer.compare(from, to) < 0 ? [{ from, to }] : [] }
  }, first)
}

const indexPlan = (
  index: IndexInfo,
  all: readonly Condition[],
  sort: readonly SortPart[],
): { plan: Plan; score: number } => {
  const names = [...index.key.keys()]
  const roots = index.paths.map(parts => parts[0])
  let prefixes: Buffer[] = [Buffer.alloc(0)]
  let ranges: Range[] | undefined
  let score = 0
  const fixed = new Set<string>()
  let bound = 0
  for (const [i, name] of names.entries()) {
    // On a multikey index, different elements of an array may match two conditions below it.
    if (i > 0 && index.multikey && roots.indexOf(roots[i]) !== roots.lastIndexOf(roots[i])) break
    const bounds = fieldBounds(name, all, index.directions[i]!, index.multikey)
    if (!bounds) break
    if (bounds.kind === 'range') {
      ranges = prefixes.flatMap(prefix =>
        bounds.ranges.map(({ from, to }) => ({
          from: Buffer.concat([prefix, from]),
          to: Buffer.concat([prefix, to]),
        })),
      )
      score += 30
      break
    }
    if (prefixes.length * bounds.ranges.length > mostRanges && i > 0) break
    prefixes = prefixes.flatMap(prefix => bounds.ranges.map(range => Buffer.concat([prefix, range.from])))
    bound++
    if (bounds.ranges.length === 1 && !index.multikey) fixed.add(name)
    score += bounds.ranges.length === 1 ? 100 : 80
  }
  // Tie-breaks: an index with all fields fixed, and one with fewer documents (partial or sparse).
  if (score >= 100 && fixed.size === names.length) score += index.unique ? 1000 : 5
  if (score > 0 && (index.filter || index.sparse)) score += 1
  const exact = bound === names.length
  ranges ??= prefixes.map(prefix => ({
    exact,
    from: prefix,
    to: prefix.length === 0 ? prefix : after(prefix),
  }))
  const direction = sort.length > 0 ? sortDirection(index, names, sort, fixed) : 0
  if (direction !== 0) score += 25
  return {
    plan: {
      kind: 'index',
      index,
      ranges: merged(ranges.map(cut)),
      reverse: direction < 0,
      sorted: direction !== 0,
    },
    score,
  }
}

/** Truncates bounds like the stored keys, so that they include truncated keys. */
const cut = ({ from, to, exact = false }: Range): Range => ({
  exact: exact && from.length <= longestKey,
  from: from.length > longestKey ? from.subarray(0, longestKey) : from,
  to: to.length > longestKey ? after(to.subarray(0, longestKey)) : to,
})

/** 1 or -1 if a forward or backward scan of the index gives the order, else 0. */
const sortDirection = (
  index: IndexInfo,
  names: readonly string[],
  sort: readonly SortPart[],
  fixed: ReadonlySet<string>,
): number => {
  if (index.multikey || index.cut) return 0
  let at = 0
  let direction = 0
  for (const part of sort) {
    if (fixed.has(part.path)) continue
    while (at < names.length && names[at] !== part.path && fixed.has(names[at]!)) at++
    if (names[at] !== part.path) return 0
    const own = index.directions[at]! * part.direction
    if (direction !== 0 && own !== direction) return 0
    direction = own
    at++
  }
  return direction || 1
}
