import { isId, type SightingSearch } from '@iodine/contracts'
import { fromUtcInput } from '@iodine/mfe-kit'

/** What is searched for: words of the form's three kinds, or the id of a record or an IOD. */
export type By = 'value' | 'text' | 'url' | 'record' | 'iod'

export interface Question {
  by: By
  words: string
  scope: 'own' | 'shared'
  /** As `datetime-local` inputs have them, in UTC; empty for none. */
  since: string
  until: string
}

/** Characters of words that are searched: the address has them, and servers refuse long addresses. */
export const WORDS_MAX = 1_000

const ALL_BY: readonly By[] = ['record', 'iod', 'value', 'text', 'url']
const LOCAL_TIME = /^\d{4}-\d\d-\d\dT\d\d:\d\d(:\d\d)?$/

const timeOf = (given: string | null): string =>
  given !== null && LOCAL_TIME.test(given) && !Number.isNaN(Date.parse(`${given}Z`)) ? given : ''

/** The question of an address; null if it asks nothing. Values that are none count as absent. */
export function readQuestion(search: URLSearchParams): Question | null {
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

/** The address of a question. */
export const toAddress = ({ by, words, scope, since, until }: Question): Record<string, string> => ({
  [by]: words.trim(),
  ...(scope === 'shared' && { scope }),
  ...(since && { since }),
  ...(until && { until }),
})

/**
 * The body of a search.
 * @param value of the IOD, where the question is one
 */
export const toBody = (
  { by, words, scope, since, until }: Question,
  value?: string,
): Omit<SightingSearch, 'limit'> => ({
  ...(by === 'record' ? { record_id: words } : by === 'iod' ? { value: value ?? '' } : { [by]: words }),
  scope,
  ...(since && { since: fromUtcInput(since) }),
  ...(until && { until: fromUtcInput(until) }),
})
