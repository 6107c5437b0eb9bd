import { z } from 'zod'
import { isFilled } from './fold.js'
import { LIMITS, USERNAME_PATTERN } from './limits.js'
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
/**
 * A time in a query, parsed to a Date: a `timestamp`, a date, or the value of a datetime-local input; without
 * a zone it is UTC.
 */
export const timeParam = z
  .string()
  .transform(value => {
    const parts = /^(\S{10})(?:[T ](\d\d:\d\d)(:\d\d(?:\.\d+)?)?(Z|[+-]\d\d:?\d\d)?)?$/i.exec(value)
    if (!parts) return value
    const [, day, minute = '00:00', second = ':00', zone = 'Z'] = parts
    return `${day}T${minute}${second}${zone.toUpperCase().replace(/^(.\d\d)(\d\d)$/, '$1:$2')}`
  })
  .pipe(timestamp)
  .transform(value => new Date(value))
/** Text stored as sent. */
export const text = (max: number = LIMITS.fieldMax) =>
  z.string().max(max, `must have at most ${max} characters`)
/** Text stored as sent; must contain a character that a reader sees. */
export const filledText = (max: number = LIMITS.fieldMax) => text(max).refine(isFilled, 'must not be empty')

// Allows an internationalised local part and domain, which z.email() refuses.
const EMAIL = /^[^\s@<>()[\]\\,;:"\p{C}]+@[^\s@<>()[\]\\,;:"\p{C}.]+(\.[^\s@<>()[\]\\,;:"\p{C}.]+)*$/u
/** E-mail address, trimmed and lower-cased for storage and comparison. */
export const email = z
  .string()
  .transform(value => value.trim().toLowerCase())
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

const wholeNumber = (min: number, max: number) =>
  z
    .string()
    .regex(/^\d+$/, 'must be a whole number')
    // Overflow is clamped, to be reported as too large instead of not a number.
    .transform(digits => Math.min(Number(digits), Number.MAX_SAFE_INTEGER))
    .pipe(z.number().min(min, `must be at least ${min}`).max(max, `must be at most ${max}`))
export const limitParam = (max: number) => wholeNumber(1, max)
export const skipParam = wholeNumber(0, LIMITS.skipMax)
/** A state of some data that changes: milliseconds of its last change, 0 for none. */
export const revisionParam = wholeNumber(0, LIMITS.revisionMax)

/** X-Next-Cursor of the previous page. */
export const cursorParam = text(200)
/** Paging parameters; without both, the whole list is streamed. */
export const pageQuery = {
  limit: limitParam(LIMITS.listLimitMax).optional(),
  cursor: cursorParam.optional(),
}
