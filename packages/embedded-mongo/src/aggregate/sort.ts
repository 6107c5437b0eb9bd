import { compare } from '../bson/compare.js'
import { asInteger } from '../bson/numbers.js'
import { Doc, type Value } from '../bson/values.js'
import { fail } from '../errors.js'
import { extractKeys } from '../indexes/extract.js'
import { emptyArray, type KeyValue } from '../indexes/key.js'
import { checkTime, due, type Pause, pause, type Rows, sorted } from '../slices.js'

export type SortPart = { path: string; parts: readonly string[]; direction: 1 | -1 }

/** Parses a sort specification. Throws MongoDB's error for a direction other than 1 and -1. */
export const sortPattern = (spec: Doc): SortPart[] => {
  if (spec.size > 32) fail(13103, 'too many compound keys')
  return [...spec].map(([path, value]) => {
    if (value instanceof Doc) {
      if (value.has('$meta')) fail(238, '$meta sorts are not supported')
      return fail(15974, `Illegal key in $sort specification: ${path}`)
    }
    const direction = asInteger(value)
    if (direction !== 1 && direction !== -1)
      return fail(15975, '$sort key ordering must be 1 (for ascending) or -1 (for descending)')
    if (path === '' || path.split('.').includes(''))
      fail(15998, 'FieldPath field names may not be empty strings.')
    if (path.startsWith('$')) fail(16410, `FieldPath field names may not start with '$'.`)
    return { path, parts: path.split('.'), direction }
  })
}

const compareKeyValue = (a: KeyValue, b: KeyValue): number => {
  if (a === emptyArray || b === emptyArray) {
    if (a === b) return 0
    return a === emptyArray ? compareEmpty(b as Value | undefined) : -compareEmpty(a as Value | undefined)
  }
  return compare(a, b)
}

const compareEmpty = (value: Value | undefined) => (value instanceof Object && 'min' in value ? 1 : -1)

const compareTuples = (
  pattern: readonly SortPart[],
  a: readonly KeyValue[],
  b: readonly KeyValue[],
): number => {
  for (let i = 0; i < pattern.length; i++) {
    const found = compareKeyValue(a[i], b[i])
    if (found !== 0) return found * pattern[i]!.direction
  }
  return 0
}

/** Returns the sort key of a document. An array sorts by its smallest element, descending by its largest. */
const sortKey = (pattern: readonly SortPart[], doc: Doc): readonly KeyValue[] => {
  const { keys } = extractKeys(
    doc,
    pattern.map(part => part.parts),
  )
  let least = keys[0]!
  for (let i = 1; i < keys.length; i++) if (compareTuples(pattern, keys[i]!, least) < 0) least = keys[i]!
  return least
}

/** Compares documents by a pattern. For lists use `sortBy`, which extracts each key once. */
export const compareBy =
  (pattern: readonly SortPart[]) =>
  (a: Doc, b: Doc): number => {
    checkTime()
    return compareTuples(pattern, sortKey(pattern, a), sortKey(pattern, b))
  }

/** Sorts items by their documents. Stable. */
export function* sortBy<T>(
  items: Rows<T>,
  docOf: (item: T) => Doc,
  pattern: readonly SortPart[],
): Generator<T | Pause> {
  const keyed: { key: readonly KeyValue[]; item: T }[] = []
  for (const item of items) {
    if (item === pause) yield pause
    else keyed.push({ key: sortKey(pattern, docOf(item)), item })
  }
  for (const { item } of yield* sorted(keyed, (a, b) => compareTuples(pattern, a.key, b.key))) {
    if (due()) yield pause
    yield item
  }
}
