import { Doc, type Value } from '../bson/values.js'

/** Visitor of a value at a path (undefined if missing) and its outermost array position. True stops the visit. */
export type Visitor = (value: Value | undefined, position: number | undefined) => boolean

/**
 * Visits the values at a query's dotted path, as MongoDB does: through every element of arrays on the path,
 * for a numeric name also by position and, with `leaves`, the elements of an array at the end before the
 * array itself. Returns whether `visitor` accepted a value.
 */
export const visitPath = (doc: Doc, parts: readonly string[], leaves: boolean, visitor: Visitor): boolean =>
  visitDoc(doc, parts, 0, leaves, undefined, visitor)

const visitDoc = (
  doc: Doc,
  parts: readonly string[],
  from: number,
  leaves: boolean,
  outer: number | undefined,
  visitor: Visitor,
): boolean => {
  let value: Value | undefined = doc
  let next = from
  while (next < parts.length && value instanceof Doc) value = value.get(parts[next++]!)
  if (!Array.isArray(value)) return visitor(next < parts.length ? undefined : value, outer)
  if (next < parts.length) return visitArray(value, parts, next, leaves, outer, visitor)
  if (leaves) {
    for (let i = 0; i < value.length; i++) if (visitor(value[i], outer ?? i)) return true
  }
  return visitor(value, outer)
}

const visitArray = (
  items: readonly Value[],
  parts: readonly string[],
  from: number,
  leaves: boolean,
  outer: number | undefined,
  visitor: Visitor,
): boolean => {
  const name = parts[from]!
  const last = from + 1 === parts.length
  for (let i = 0; i < items.length; i++) {
    const item = items[i]!
    const position = outer ?? i
    const isDoc = item instanceof Doc
    if (isDoc && visitDoc(item, parts, from, leaves, position, visitor)) return true
    if (name !== String(i)) continue
    // An element that the path selects by position does not change the position of the match.
    if (last) {
      if (visitor(item, outer)) return true
    } else if (isDoc) {
      if (visitDoc(item, parts, from + 1, leaves, outer, visitor)) return true
    } else if (Array.isArray(item) && visitArray(item, parts, from + 1, leaves, outer, visitor)) return true
  }
  return false
}
