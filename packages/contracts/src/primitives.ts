import { z } from 'zod'
import { LIMITS, USERNAME_PATTERN } from './limits.js'
import { isHttpUrl } from './vocabulary.js'

/** Opaque id: 24 hex characters. */
export const id = z.string().regex(/^[0-9a-f]{24}$/i, 'must be an id')
/** ISO 8601 UTC with milliseconds. */
export const time = z.iso.datetime({ precision: 3 })
/** Text stored as sent. */
export const text = (max: number = LIMITS.fieldMax) =>
  z.string().max(max, `must have at most ${max} characters`)
/** Text stored as sent that has something besides white space. */
export const filledText = (max: number = LIMITS.fieldMax) =>
  text(max).refine(value => value.trim() !== '', 'must not be empty')

// Local part and domain may be internationalised, which z.email() refuses.
const EMAIL = /^[^\s@<>()[\]\\,;:"\p{C}]+@[^\s@<>()[\]\\,;:"\p{C}.]+(\.[^\s@<>()[\]\\,;:"\p{C}.]+)*$/u
/** E-mail address, compared and kept trimmed and lower-cased. */
export const email = z
  .string()
  .transform(value => value.trim().toLowerCase())
  .pipe(z.string().max(LIMITS.emailMax, 'is too long').regex(EMAIL, 'must be an e-mail address'))

export const username = z
  .string()
  .regex(USERNAME_PATTERN, 'Username must contain between 3 and 20 alphanumeric characters')

// Any scheme, also behind white space and control characters that browsers skip.
const SCHEME = /^[\s\p{C}]*[a-z][a-z0-9+.\-\s\p{C}]*:/iu
/** http(s) URL or a plain path; every other scheme is refused. */
export const sourceReference = text().refine(
  value => isHttpUrl(value) || (value.trim() !== '' && !SCHEME.test(value) && !value.startsWith('//')),
  'must be an http(s) URL or a plain path',
)

/** A query value that may be given once or several times. */
export const repeatable = <T extends z.ZodType>(item: T) =>
  (
    z.preprocess(value => (Array.isArray(value) ? value : [value]), z.array(item)) as unknown as z.ZodType<
      z.output<T>[],
      z.input<T> | z.input<T>[]
    >
  ).optional()

const wholeNumber = z
  .string()
  .regex(/^\d{1,9}$/, 'must be a whole number')
  .transform(Number)
export const limitParam = (max: number) =>
  wholeNumber.pipe(z.number().min(1, 'must be at least 1').max(max, `must be at most ${max}`))
export const skipParam = wholeNumber

/** What a list that can grow takes; with neither, the whole list is streamed. */
/** Where the page before ended, as its X-Next-Cursor said. */
export const cursorParam = text(200)
export const pageQuery = {
  limit: limitParam(LIMITS.listLimitMax).optional(),
  cursor: cursorParam.optional(),
}
