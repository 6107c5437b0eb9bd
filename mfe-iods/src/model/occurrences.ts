import { foldIod, foldLabel, type Iod, LIMITS, type Stored, trimBlank } from '@iodine/contracts'
import { findMatches } from './matches'

/**
 * The text by which an IOD is searched in records and narratives: its value, of hashtags without their sign,
 * cut to the length that a search may have.
 */
export function searchedText({ category, value }: Pick<Iod, 'category' | 'value'>): string {
  const text = category === 'HASHTAGS' ? foldIod({ category, value }) : trimBlank(value)
  const cut = text.slice(0, LIMITS.searchMax)
  // Not half a character.
  return cut.isWellFormed() ? cut : cut.slice(0, -1)
}

/** Whether a value may be an entity of the graph: longer ones are part of no triplet. */
export const mayBeEntity = ({ value }: Pick<Iod, 'value'>): boolean =>
  foldLabel(value).length <= LIMITS.tripletPartMax

/** The first text of a record that contains `q`, or with an empty `q` its first text; undefined if there is none. */
function textWith(record: unknown, q: string): string | undefined {
  if (typeof record === 'string') return q === '' || findMatches(record, q).length > 0 ? record : undefined
  if (typeof record !== 'object' || record === null) return undefined
  for (const [key, value] of Object.entries(record)) {
    const found = textWith(value, q) ?? textWith(key, q)
    if (found !== undefined) return found
  }
  return undefined
}

/** The text of a record that contains `q`. What the collector noted itself is not searched. */
export const searchedTextOf = (
  { id: _id, collector_metadata: _noted, ...record }: Stored,
  q: string,
): string => textWith(record, q) ?? textWith(record, '') ?? ''
