import type { SortPart } from '../aggregate/sort.js'
import { compare, equal } from '../bson/compare.js'
import { asInteger, isNaNValue } from '../bson/numbers.js'
import {
  Binary,
  Doc,
  isNumeric,
  MaxKey,
  MinKey,
  ObjectId,
  orderOf,
  Regex,
  Sym,
  Timestamp,
  type Value,
} from '../bson/values.js'
import { fail } from '../errors.js'
import { all, type Condition, compileFilter } from '../match/filter.js'
import { literalPrefix } from '../match/regex.js'
import { arraysOf, type CollectionInfo, type IndexInfo, isMultikey } from '../storage/catalog.js'
import {
  after,
  classBounds,
  emptyArray,
  encodeBound,
  type KeyValue,
  longestKey,
  numberBounds,
  type Range,
} from './key.js'

/** A query plan. */
export type Plan = { kind: 'scan'; reverse: boolean } | IndexPlan | { kind: 'union'; of: Plan[] }

export type IndexPlan = {
  kind: 'index'
  index: IndexInfo
  ranges: readonly Range[]
  reverse: boolean
  /** Whether the documents are in the requested order. */
  sorted: boolean
  /** Whether the ranges are merged for that order; else they are read sequentially. */
  merges: boolean
  /** Whether the ranges contain at most one key of each document. */
  once: boolean
  /** The conditions that every key in the ranges satisfies. The others are checked on the documents. */
  decided: ReadonlySet<Condition>
}

const mostRanges = 500
/** Score of a unique index with equality on all fields. */
const uniqueScore = 1000
/** Score of an index with a bounded range; an index that provides only the order scores less. */
const rangeScore = 30
/** Score of a sparse or partial index for `$exists` of its first field: it may hold few documents. With an order, less than a range. */
const partScore = 4
/** Maximum merged ranges: MongoDB's `internalQueryMaxScansToExplode`. */
const mostMerged = 200
const numericName = /^\d+$/

/** A condition of a conjunction. */
type Conjunct = Condition & { element?: Element | undefined }
/** The `$elemMatch` of conditions that one array element satisfies together, with the paths of its array and the outer ones. */
type Element = { arrays: readonly string[] }

/** Returns the conditions of a conjunction; those of `$elemMatch` with their full paths. */
const conjuncts = (condition: Condition, prefix = '', element?: Element): Conjunct[] => {
  if (condition.kind === 'and') return condition.of.flatMap(one => conjuncts(one, prefix, element))
  if (condition.kind === 'elements') {
    const path = prefix + condition.path
    return conjuncts(condition.of, `${path}.`, { arrays: [...(element?.arrays ?? []), path] })
  }
  if ('path' in condition && prefix !== '') return [{ ...condition, path: prefix + condition.path, element }]
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
  const conditions = conjuncts(condition)
  let best: Plan | undefined
  let bestScore = 0
  for (const index of info.indexes) {
    if (index.hidden || !usable(index, conditions)) continue
    const { plan, score } = indexPlan(index, conditions, sort)
    if (score > bestScore) {
      best = plan
      bestScore = score
    }
    // It finds at most one document: no other index is better.
    if (bestScore >= uniqueScore) break
  }
  // An index that provides only the order is read completely: prefer bounded alternatives with a sort.
  if (bestScore < rangeScore) {
    for (const one of conditions) {
      if (one.kind !== 'or') continue
      const others = conditions.filter(other => other !== one)
      const of = one.of.map(branch => choosePlan(info, all([branch, ...others])))
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
  // MongoDB's manual: a hinted sparse index may omit documents from the result; a partial index may not.
  if (index.filter && !usable({ ...index, sparse: false }, all))
    fail(291, 'error processing query: planner returned error :: caused by :: No query solutions')
  return indexPlan(index, all, sort).plan
}

/** Returns the index with a name or key pattern. */
export const findIndex = (info: CollectionInfo, hint: Value): IndexInfo | undefined =>
  info.indexes.find(index =>
    typeof hint === 'string' ? index.name === hint : hint instanceof Doc && equal(index.key, hint),
  )

/** Returns whether a condition matches only documents that have the field. */
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

/** Returns whether every document that matches `given` also matches `wanted`; false if that is uncertain. */
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
 * Returns the index for a `distinct` of `path`: the condition must consist of equalities on exactly the index fields
 * before `path`. Each distinct value takes one index look-up, independent of the number of documents.
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
    if (
      index.hidden ||
      isMultikey(index) ||
      Number.isFinite(index.cut) ||
      index.sparse ||
      index.filter ||
      !usable(index, all)
    )
      continue
    const names = [...index.key.keys()]
    const before = names.slice(0, equals.size)
    if (names[equals.size] !== path || !before.every(name => equals.has(name))) continue
    const prefix = before.map((name, i) => encodeBound(equals.get(name)!, index.directions[i]!))
    return { index, prefix: Buffer.concat(prefix) }
  }
  return undefined
}

/** The bounds of an index field, and the conditions that every value within satisfies. */
type Bounds = { kind: 'points' | 'range'; ranges: readonly Range[]; decides: readonly Condition[] }

const point = (value: KeyValue, direction: number): Range => {
  const from = encodeBound(value, direction)
  return { from, to: after(from) }
}

const points = (values: readonly Value[], direction: number): Range[] => {
  const ranges: Range[] = []
  for (const value of values) {
    // An array is indexed under its elements (search the first), and as an element of an outer array.
    if (Array.isArray(value)) ranges.push(point(value.length === 0 ? emptyArray : value[0], direction))
    ranges.push(point(value, direction))
  }
  return merged(ranges)
}

const merged = (ranges: Range[]): Range[] => {
  const sorted = ranges.sort((a, b) => Buffer.compare(a.from, b.from) || Buffer.compare(b.to, a.to))
  return sorted.filter((range, i) => i === 0 || !range.from.equals(sorted[i - 1]!.from))
}

/** Returns whether index keys compare with this value's key in the same way as queries compare values. */
const isPlain = (value: Value): boolean =>
  typeof value === 'string' ||
  typeof value === 'boolean' ||
  (isNumeric(value) && !isNaNValue(value)) ||
  value instanceof Date ||
  value instanceof ObjectId ||
  value instanceof Binary ||
  value instanceof Timestamp ||
  value instanceof Sym

const compareBounds = (condition: Condition & { kind: 'compare' }, direction: number): Bounds | undefined => {
  const { op, value } = condition
  const decides = isPlain(value) ? [condition] : []
  if (op === '$eq') return { kind: 'points', ranges: points([value], direction), decides }
  if (
    value === null ||
    Array.isArray(value) ||
    value instanceof MinKey ||
    value instanceof MaxKey ||
    value instanceof Regex
  )
    return undefined
  const inclusive = op.endsWith('e')
  if (isNumeric(value) && isNaNValue(value))
    return inclusive ? { kind: 'points', ranges: points([value], direction), decides } : undefined
  const [first, last] = isNumeric(value) ? numberBounds(direction) : classBounds(orderOf(value), direction)
  const at = encodeBound(value, direction)
  const upwards = op.startsWith('$g') === direction > 0
  const range = upwards
    ? { from: inclusive ? at : after(at), to: last }
    : { from: first, to: inclusive ? after(at) : at }
  return { kind: 'range', ranges: [range], decides }
}

const regexBounds = (regex: Regex, direction: number): Bounds | undefined => {
  const prefix = literalPrefix(regex.pattern, regex.options)
  if (prefix === undefined) return undefined
  // Texts end in two zero bytes. Without them, the bytes are a prefix of every longer text.
  const whole = encodeBound(prefix, direction)
  const from = whole.subarray(0, whole.length - 2)
  const ranges = merged([{ from, to: after(from) }, point(regex, direction)])
  return { kind: 'range', ranges, decides: [] }
}

const boundsOf = (condition: Condition, direction: number): Bounds | undefined => {
  switch (condition.kind) {
    case 'compare':
      return compareBounds(condition, direction)
    case 'in': {
      const { values } = condition
      if (values.some(value => value instanceof Regex)) return undefined
      const decides = values.every(isPlain) ? [condition] : []
      return { kind: 'points', ranges: points(values, direction), decides }
    }
    case 'regex':
      return regexBounds(condition.regex, direction)
    default:
      return undefined
  }
}

/**
 * Returns the bounds of one index field: the fewest points, else the intersection of the ranges. Different elements of
 * an array may match different conditions: only one condition, or those of one `$elemMatch`, bound a multikey field.
 * @param arrays paths of the arrays in the field's path
 */
const fieldBounds = (
  path: string,
  conditions: readonly Conjunct[],
  direction: number,
  arrays: readonly string[],
): Bounds | undefined => {
  const found = conditions.flatMap(one => {
    const bounds = pathOf(one) === path ? boundsOf(one, direction) : undefined
    return bounds ? [{ bounds, element: one.element }] : []
  })
  const exact = found
    .map(one => one.bounds)
    .filter(one => one.kind === 'points')
    .sort((a, b) => a.ranges.length - b.ranges.length)[0]
  if (exact) return exact
  const [first, ...rest] = found
  const isJoint = ({ element }: { element: Element | undefined }): boolean =>
    arrays.length === 0 ||
    (element !== undefined &&
      element === first?.element &&
      arrays.every(each => element.arrays.includes(each)))
  return first && rest.filter(isJoint).reduce((all, { bounds }) => intersection(all, bounds), first.bounds)
}

const intersection = (bounds: Bounds, other: Bounds): Bounds => {
  if (bounds.ranges.length !== 1 || other.ranges.length !== 1) return bounds
  const [a, b] = [bounds.ranges[0]!, other.ranges[0]!]
  const from = Buffer.compare(a.from, b.from) > 0 ? a.from : b.from
  const to = Buffer.compare(a.to, b.to) < 0 ? a.to : b.to
  const ranges = Buffer.compare(from, to) < 0 ? [{ from, to }] : []
  return { kind: 'range', ranges, decides: [...bounds.decides, ...other.decides] }
}

/** Returns the bounds of an index's first fields: points, optionally followed by a range. */
const indexBounds = (index: IndexInfo, conditions: readonly Conjunct[]): Bounds[] => {
  const found: Bounds[] = []
  let count = 1
  for (const [i, name] of [...index.key.keys()].entries()) {
    // Two conditions below an array may match different elements.
    if (found.some((_, j) => shareArray(index, i, j))) break
    const bounds = fieldBounds(name, conditions, index.directions[i]!, arraysOf(index, i))
    if (!bounds) break
    count *= bounds.ranges.length
    if (bounds.kind === 'points' && count > mostRanges && i > 0) break
    found.push(bounds)
    if (bounds.kind === 'range') break
  }
  return found
}

/** Returns whether an index field has exactly one point in these bounds. */
const isPointIn = (bounds: readonly Bounds[]) => (field: number) =>
  bounds[field]?.kind === 'points' && bounds[field].ranges.length === 1

const shareArray = (index: IndexInfo, field: number, other: number): boolean => {
  const arrays = arraysOf(index, field)
  return arraysOf(index, other).some(path => arrays.includes(path))
}

const indexPlan = (
  index: IndexInfo,
  conditions: readonly Conjunct[],
  sort: readonly SortPart[],
): { plan: Plan; score: number } => {
  const bounds = indexBounds(index, conditions)
  const isPoint = isPointIn(bounds)
  const fields = index.paths.map((_, i) => i)
  let score = 0
  for (const { kind, ranges } of bounds)
    score += kind === 'range' ? rangeScore : ranges.length === 1 ? 100 : 80
  // Tie-breaks: an index with all fields fixed, and one with fewer documents (partial or sparse).
  if (fields.every(i => isPoint(i) && !isMultikey(index, i))) score += index.unique ? uniqueScore : 5
  const [firstField] = index.key.keys()
  const isNamed = conditions.some(one => pathOf(one) === firstField)
  if (index.filter || index.sparse) score += score > 0 ? 1 : isNamed ? partScore : 0

  const order = sort.length > 0 ? scanOrder(index, bounds, sort) : undefined
  const ranges = rangesOf(bounds, index.paths.length, order?.merged)
  const whole = ranges.every(({ from, to }) => from.length <= longestKey && to.length <= longestKey)
  const sorted = order !== undefined && (whole || !order.merged)
  if (sorted) score += 25
  return {
    plan: {
      kind: 'index',
      index,
      ranges: merged(whole ? ranges : ranges.map(cut)),
      reverse: sorted && order.direction < 0,
      sorted,
      merges: sorted && order.merged !== undefined,
      once: whole && fields.every(i => isPoint(i) || !isMultikey(index, i)),
      decided: new Set(whole ? bounds.flatMap(one => one.decides) : []),
    },
    score,
  }
}

/** Returns the key ranges of an index's bounds. `lead`: the fields whose values a merge compares first. */
const rangesOf = (bounds: readonly Bounds[], fields: number, lead: readonly number[] = []): Range[] => {
  let points: Buffer[][] = [[]]
  for (const { kind, ranges } of bounds)
    if (kind === 'points') points = points.flatMap(values => ranges.map(range => [...values, range.from]))
  const last = bounds.at(-1)
  return points.flatMap((values): Range[] => {
    const prefix = Buffer.concat(values)
    const own = {
      points: prefix.length,
      ...(lead.length > 0 && { lead: Buffer.concat(lead.map(i => values[i]!)) }),
    }
    if (last?.kind === 'range')
      return last.ranges.map(({ from, to }) => ({
        ...own,
        from: Buffer.concat([prefix, from]),
        to: Buffer.concat([prefix, to]),
      }))
    const to = prefix.length === 0 ? prefix : after(prefix)
    return [{ ...own, exact: values.length === fields, from: prefix, to }]
  })
}

/** Truncates bounds like the stored keys, so that they include truncated keys. */
const cut = (range: Range): Range => {
  const { from, to, exact = false } = range
  return {
    ...range,
    exact: exact && from.length <= longestKey,
    from: from.length > longestKey ? from.subarray(0, longestKey) : from,
    to: to.length > longestKey ? after(to.subarray(0, longestKey)) : to,
  }
}

/** Returns whether the bounds may contain truncated keys: these have a first value of at least `cut` bytes. */
const mayBeCut = (index: IndexInfo, [first]: readonly Bounds[]): boolean =>
  Number.isFinite(index.cut) &&
  !(first?.kind === 'points' && first.ranges.every(({ from }) => from.length < index.cut))

/** `merged`: the ranges must be merged by the points of these fields, then by the bytes after the points. */
type ScanOrder = { direction: number; merged?: readonly number[] }

/**
 * Returns how the index provides the order: by a scan of its ranges, or by a merge of the ranges of several points;
 * else undefined. Fields with one point are skipped. A multikey field provides no order, because a document sorts by
 * the smallest or largest element of its array.
 */
const scanOrder = (
  index: IndexInfo,
  bounds: readonly Bounds[],
  sort: readonly SortPart[],
): ScanOrder | undefined => {
  if (mayBeCut(index, bounds)) return undefined
  const names = [...index.key.keys()]
  const isPoint = isPointIn(bounds)
  const fields = names.map((_, i) => i)
  // Fields with equal values in all documents do not affect the order.
  const wanted = sort.filter(({ path }) => {
    const i = names.indexOf(path)
    return !isPoint(i) || isMultikey(index, i)
  })
  /** Returns 1 or -1 if these fields begin with those of the sort, forwards or backwards, else 0. */
  const direction = (of: readonly number[]): number => {
    const own = wanted.map(({ path, direction }, at) => {
      const i = of[at]
      return i !== undefined && names[i] === path && !isMultikey(index, i)
        ? index.directions[i]! * direction
        : 0
    })
    return own.every(one => one === own[0]) ? (own[0] ?? 1) : 0
  }
  const scan = direction(fields.filter(i => !isPoint(i)))
  if (scan !== 0) return { direction: scan }
  if (bounds.reduce((count, { ranges }) => count * ranges.length, 1) > mostMerged) return undefined
  const points = bounds.filter(({ kind }) => kind === 'points').length
  const lead: number[] = []
  for (const { path } of wanted) {
    const i = names.indexOf(path)
    if (i < 0 || i >= points) break
    lead.push(i)
  }
  const merge = direction([...lead, ...fields.slice(points)])
  return merge === 0 ? undefined : { direction: merge, merged: lead }
}
