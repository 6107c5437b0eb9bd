import { z } from 'zod'
import { isFilled } from './fold.js'
import { LIMITS, USERNAME_PATTERN } from './limits.js'
import { parseUrl } from './parse-url.js'
import { ID_PATTERN, isSourceReference } from './vocabulary.js'

/** Answer without data. */
export const done = z.strictObject({ done: z.literal(true) })
export const DONE: z.output<typeof done> = { done: true }

/** Body of every error answer. */
export const errorBody = z.strictObject({ detail: z.union([z.string(), z.array(z.string())]) })
export type ErrorBody = z.output<typeof errorBody>

/** Opaque id: 24 hex characters. */
export const id = z.string().regex(ID_PATTERN, 'must be an id')
/** ISO 8601 UTC with milliseconds. */
export const time = z.iso.datetime({ precision: 3 })
/** ISO 8601 with a zone, as clients send it. Invalid dates, such as February 30, are refused. */
export const timestamp = z.iso.datetime({ offset: true, error: 'must be an ISO 8601 time' })
/** A bound of a period, as ISO 8601; a date without a time means the time `clock` of that day. */
const periodBound = (clock: string) =>
  z
    .string()
    .transform(value => {
      // Of an offset in a query, `+` may have become a space.
      const parts = /^(\S{10})(?:[T ](\d\d:\d\d)(:\d\d(?:\.\d+)?)?(Z|[ +-]\d\d:?\d\d)?)?$/i.exec(value)
      if (!parts) return value
      const [, day, minute, second = ':00', zone = 'Z'] = parts
      if (minute === undefined) return `${day}T${clock}Z`
      const offset = zone
        .toUpperCase()
        .replace(/^(.\d\d):?(\d\d)$/, '$1:$2')
        .replace(' ', '+')
      return `${day}T${minute}${second}${offset}`
    })
    .pipe(timestamp)
/**
 * Bounds of a period, both included: a `timestamp`, the value of a datetime-local input, or a date, of which the whole
 * day belongs to the period. Without a zone they are UTC.
 */
export const periodStart = periodBound('00:00:00.000')
export const periodEnd = periodBound('23:59:59.999')
/** The same in a query, parsed to a Date. */
export const startParam = periodStart.transform(value => new Date(value))
export const endParam = periodEnd.transform(value => new Date(value))
/** Returns whether a text has at most `max` characters (code points), which may be one or two UTF-16 units each. */
const isWithin = (value: string, max: number): boolean =>
  value.length <= max || (value.length <= 2 * max && [...value].length <= max)

/** Text stored as sent, of at most `max` characters: code points, as JSON Schema counts them, in any script. */
export const text = (max: number = LIMITS.fieldMax) =>
  z
    .string()
    .refine(value => isWithin(value, max), `must have at most ${max} characters`)
    .meta({ maxLength: max })
/** Text stored as sent; must contain a visible character. */
export const filledText = (max: number = LIMITS.fieldMax) => text(max).refine(isFilled, 'must not be empty')

// Allows an internationalised local part and domain, which z.email() refuses.
const EMAIL = /^[^\s@<>()[\]\\,;:"\p{C}]+@[^\s@<>()[\]\\,;:"\p{C}.]+(\.[^\s@<>()[\]\\,;:"\p{C}.]+)*$/u
/** Returns a domain in ASCII (UTS #46), as mail servers use it; empty if it is invalid. */
const asciiDomain = (domain: string): string => {
  if (/^[\x20-\x7e]*$/.test(domain)) return domain
  return /[%/?#]/.test(domain) ? '' : (parseUrl(`http://${domain}/`)?.hostname ?? '')
}
/**
 * Returns the canonical form of an email address: trimmed, in lower case, composed (NFC), its domain in ASCII. Words
 * are lower-cased one by one, as a sigma depends on the end of its word.
 */
const canonicalEmail = (text: string): string => {
  const words = text.trim().split(/([^\p{L}\p{M}]+)/u)
  const address = words
    .map(word => word.toLowerCase())
    .join('')
    .normalize('NFC')
  const domain = address.lastIndexOf('@') + 1
  return EMAIL.test(address) ? address.slice(0, domain) + asciiDomain(address.slice(domain)) : address
}
/** Email address in canonical form, for storage, comparison and delivery. */
export const email = z
  .string()
  .transform(canonicalEmail)
  .pipe(z.string().max(LIMITS.emailMax, 'is too long').regex(EMAIL, 'must be an e-mail address'))

export const username = z
  .string()
  .regex(USERNAME_PATTERN, 'Username must contain between 3 and 20 alphanumeric characters')

/** http(s) URL or a plain path; all other schemes are refused. */
export const sourceReference = text().refine(isSourceReference, 'must be an http(s) URL or a plain path')

/** A query parameter that may be repeated, up to `max` times. */
export const repeatable = <T extends z.ZodType>(item: T, max = Number.POSITIVE_INFINITY) =>
  (
    z.preprocess(
      value => (Array.isArray(value) ? value : [value]),
      z.array(item).max(max, `must be given at most ${max} times`),
    ) as unknown as z.ZodType<z.output<T>[], z.input<T> | z.input<T>[]>
  ).optional()

export const wholeNumber = (min: number, max: number) =>
  z
    .string()
    .regex(/^\d+$/, 'must be a whole number')
    // Overflow is clamped, to be reported as too large instead of not a number.
    .transform(digits => Math.min(Number(digits), Number.MAX_SAFE_INTEGER))
    .pipe(z.number().min(min, `must be at least ${min}`).max(max, `must be at most ${max}`))
export const limitParam = (max: number) => wholeNumber(1, max)
export const skipParam = wholeNumber(0, LIMITS.skipMax)
/** Revision of data: milliseconds of its last change, 0 for none. */
export const revisionParam = wholeNumber(0, LIMITS.revisionMax)

/** X-Next-Cursor of the previous page. */
export const cursorParam = text(200)
/** Paging parameters; without both, the whole list is streamed. */
export const pageQuery = {
  limit: limitParam(LIMITS.listLimitMax).optional(),
  cursor: cursorParam.optional(),
}
