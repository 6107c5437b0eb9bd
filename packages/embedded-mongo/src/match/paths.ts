import { Doc, type Value } from '../bson/values.js'

/**
 * Receives a value at a path (undefined if missing) and its outermost array position. True stops the visit.
 */
export type See = (value: Value | undefined, position: number | undefined) => boolean

/**
 * Visits the values at a query's dotted path, as MongoDB does: through every element of arrays on the path,
 * for a numeric name also by position and, with `leaves`, the elements of an array at the end before the
 * array itself. Returns whether `see` accepted a value.
 */
export const visitPath = (doc: Doc, parts: readonly string[], leaves: boolean, see: See): boolean =>
  visitDoc(doc, parts, 0, leaves, undefined, see)

const visitDoc = (
  doc: Doc,
  parts: readonly string[],
  from: number,
  leaves: boolean,
  outer: number | undefined,
  see: See,
): boolean => {
  let value: Value | undefined = doc
  let next = from
  while (next < parts.length && value instanceof Doc) value = value.get(parts[next++]!)
  if (!Array.isArray(value)) return see(next < parts.length ? undefined : value, outer)
  if (next < parts.length) return visitArray(value, parts, next, leaves, outer, see)
  if (leaves) {
    for (let i = 0; i < value.length; i++) if (see(value[i], outer ?? i)) return true
  }
  return see(value, outer)
}

const visitArray = (
  items: readonly Value[],
  parts: readonly string[],
  from: number,
  leaves: boolean,
  outer: number | undefined,
  see: See,
): boolean => {
  const name = parts[from]!
  const last = from + 1 === parts.length
  for (let i = 0; i < items.length; i++) {
    const item = items[i]!
    const position = outer ?? i
    const isDoc = item instanceof Doc
    if (isDoc && visitDoc(item, parts, from, leaves, position, see)) return true
    if (name !== String(i)) continue
    // An element that the path names by position was not matched by search, so the position stays the same.
    if (last) {
      if (see(item, outer)) return true
    } else if (isDoc) {
      if (visitDoc(item, parts, from + 1, leaves, outer, see)) return true
    } else if (Array.isArray(item) && visitArray(item, parts, from + 1, leaves, outer, see)) return true
  }
  return false
}
