import { type Evidence, type ImportedQuote, importedQuote, LIMITS, textFault } from '@iodine/contracts'
import { isObject } from './json/is-object.js'

/** Evidence of IODs by the IOD's id. */
export type EvidenceById = ReadonlyMap<string, readonly Evidence[]>

/** Returns evidence for export files, without the properties that depend on the requesting user. */
export const toFileEvidence = ({ iod_id: _iod, open: _open, shared: _shared, ...evidence }: Evidence) =>
  evidence

/** Valid quotes of an entry, and the number of rejected ones. */
export interface Quotes {
  quotes: ImportedQuote[]
  refused: number
}

/** Parses a quote by the contract; returns undefined if it is invalid, or has characters that can't be stored. */
function readQuote(given: unknown): ImportedQuote | undefined {
  if (!isObject(given)) return undefined
  const { role, pointer, start, end, exact, prefix, suffix, url, captured_at } = given
  const parsed = importedQuote.safeParse({
    role,
    pointer,
    start,
    end,
    exact,
    prefix,
    suffix,
    url,
    captured_at,
  })
  const texts = Object.values(parsed.data ?? {}).filter(value => typeof value === 'string')
  return texts.some(value => textFault(value) !== undefined) ? undefined : parsed.data
}

/** Parses an entry's evidence into distinct quotes; quotes beyond the limit of an IOD are rejected. */
export function readQuotes(given: unknown): Quotes {
  const all = Array.isArray(given) ? given : []
  const quotes = new Map<string, ImportedQuote>()
  let refused = 0
  for (const each of all) {
    const quote = readQuote(each)
    if (quote && quotes.size < LIMITS.iodEvidenceMax) quotes.set(JSON.stringify(quote), quote)
    else refused++
  }
  return { quotes: [...quotes.values()], refused }
}
