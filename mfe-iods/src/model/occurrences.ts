import { foldIod, foldLabel, type Iod, LIMITS, type Stored, trimBlank } from '@iodine/contracts'
import { findMatches } from './matches'

/**
 * Returns the text that finds an IOD in records and narratives: its value, for hashtags without the sign, cut to the
 * maximum length of a search.
 */
export function searchedText({ category, value }: Pick<Iod, 'category' | 'value'>): string {
  const text = category === 'HASHTAGS' ? foldIod({ category, value }) : trimBlank(value)
  const cut = text.slice(0, LIMITS.searchMax)
  // Avoids half a surrogate pair.
  return cut.isWellFormed() ? cut : cut.slice(0, -1)
}

/** Returns whether a value may be an entity of the graph: longer values are in no triplet. */
export const mayBeEntity = ({ value }: Pick<Iod, 'value'>): boolean =>
  foldLabel(value).length <= LIMITS.tripletPartMax

/** Returns the first text of a record that contains `q`, or with an empty `q` its first text; undefined if none. */
function textWith(record: unknown, q: string): string | undefined {
  if (typeof record === 'string') return q === '' || findMatches(record, q).length > 0 ? record : undefined
  if (typeof record !== 'object' || record === null) return undefined
  for (const [key, value] of Object.entries(record)) {
    const found = textWith(value, q) ?? textWith(key, q)
    if (found !== undefined) return found
  }
  return undefined
}

/** Returns the text of a record that contains `q`. Metadata of the collector is not searched. */
export const searchedTextOf = (
  { id: _id, collector_metadata: _noted, ...record }: Stored,
  q: string,
): string => textWith(record, q) ?? textWith(record, '') ?? ''
