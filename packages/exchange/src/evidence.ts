import {
  BLOB_ROLES,
  type BlobRole,
  type Evidence,
  type ImportedQuote,
  isHttpUrl,
  LIMITS,
  textFault,
} from '@iodine/contracts'
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

/** Maximum characters of a pointer. */
const POINTER_MAX = 500
const TIME = /^\d{4}-\d\d-\d\dT\d\d:\d\d(:\d\d(\.\d+)?)?(Z|[+-]\d\d:\d\d)$/

const isText = (given: unknown, max: number): given is string =>
  typeof given === 'string' && given.length <= max && textFault(given) === undefined

/** Parses a quote by the contract's rules; returns undefined if it is invalid. */
function readQuote(given: unknown): ImportedQuote | undefined {
  if (!isObject(given)) return undefined
  const { role = 'text', pointer = '', start, end, exact, prefix = '', suffix = '' } = given
  const { url = null, captured_at = null } = given
  const isPlaced = Number.isSafeInteger(start) && Number.isSafeInteger(end) && Number(start) >= 0
  if (!isPlaced || !isText(exact, LIMITS.fieldMax) || exact === '') return undefined
  if (Number(end) - Number(start) !== exact.length) return undefined
  if (!(BLOB_ROLES as readonly unknown[]).includes(role) || !isText(pointer, POINTER_MAX)) return undefined
  if (!isText(prefix, LIMITS.quoteContextMax) || !isText(suffix, LIMITS.quoteContextMax)) return undefined
  if (url !== null && !(isText(url, LIMITS.fieldMax) && isHttpUrl(url))) return undefined
  const isTime = typeof captured_at === 'string' && TIME.test(captured_at)
  if (captured_at !== null && !(isTime && !Number.isNaN(Date.parse(captured_at)))) return undefined
  return {
    role: role as BlobRole,
    pointer,
    start: Number(start),
    end: Number(end),
    exact,
    prefix,
    suffix,
    url,
    captured_at,
  }
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
