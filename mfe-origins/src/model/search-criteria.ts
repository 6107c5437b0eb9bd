import { isHttpUrl, isId, type SightingSearch } from '@iodine/contracts'
import { fromUtcInput } from '@iodine/mfe-kit'

/** The field of a search: one of the form's three kinds of text, or the id of a record or an IOD. */
export type SearchField = 'value' | 'text' | 'url' | 'record' | 'iod'

export interface SearchCriteria {
  by: SearchField
  words: string
  scope: 'own' | 'shared'
  /** In the format of `datetime-local` inputs, in UTC; empty for no limit. */
  since: string
  until: string
}

/** Maximum number of characters of a search: the URL contains them, and servers reject long URLs. */
export const WORDS_MAX = 1_000

const ALL_BY: readonly SearchField[] = ['record', 'iod', 'value', 'text', 'url']
const LOCAL_TIME = /^\d{4}-\d\d-\d\dT\d\d:\d\d(:\d\d)?$/

const timeOf = (given: string | null): string =>
  given !== null && LOCAL_TIME.test(given) && !Number.isNaN(Date.parse(`${given}Z`)) ? given : ''

/** Reads a search from a URL's query; null if there is none. Invalid values count as absent. */
export function readCriteria(search: URLSearchParams): SearchCriteria | null {
  const by = ALL_BY.find(name => {
    const given = search.get(name)?.trim()
    return given && ((name !== 'record' && name !== 'iod') || isId(given))
  })
  if (by === undefined) return null
  return {
    by,
    words: (search.get(by) ?? '').trim().slice(0, WORDS_MAX),
    scope: search.get('scope') === 'shared' ? 'shared' : 'own',
    since: timeOf(search.get('since')),
    until: timeOf(search.get('until')),
  }
}

/** Converts a search to a URL's query. */
export const toSearchParams = ({
  by,
  words,
  scope,
  since,
  until,
}: SearchCriteria): Record<string, string> => ({
  [by]: words.trim(),
  ...(scope === 'shared' && { scope }),
  ...(since && { since }),
  ...(until && { until }),
})

/**
 * Converts a search to a request body.
 * @param value of the IOD, if the search is by an IOD
 */
export const toBody = (
  { by, words, scope, since, until }: SearchCriteria,
  value?: string,
): Omit<SightingSearch, 'limit'> => ({
  ...(by === 'record' ? { record_id: words } : by === 'iod' ? { value: value ?? '' } : { [by]: words }),
  scope,
  ...(since && { since: fromUtcInput(since) }),
  ...(until && { until: fromUtcInput(until) }),
})

/** Maximum words of a watched term; a longer text is watched in other words too. */
const TERM_WORDS_MAX = 4

const PICTURE_HASH = /^[0-9a-f]{64}$/i

/** Returns the subject of a watch of the search; null for a record or the hash of a picture, which have none. */
export function watchedBy({ by, words }: SearchCriteria) {
  if (by === 'record' || (by === 'value' && PICTURE_HASH.test(words))) return null
  if (by === 'iod') return { kind: by, subject_id: words }
  if (isHttpUrl(words)) return { kind: 'url' as const, text: words }
  const kind: 'term' | 'text' = words.trim().split(/\s+/).length > TERM_WORDS_MAX ? 'text' : 'term'
  return { kind, text: words }
}
