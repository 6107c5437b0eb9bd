/** Matches a time with a zone, or one that needs none: a number of seconds or milliseconds. */
const ZONED = /(?:z|gmt|utc|[+-]\d\d:?\d\d|\b[ecmp][ds]t)$|^\d{9,}(?:\.\d+)?$/i

/** Returns whether some of the times must be read in a zone that the user states. */
export const needsZone = (times: readonly string[]): boolean =>
  times.some(time => time.trim() !== '' && !ZONED.test(time.trim()))

const DATE =
  /^(\d{1,2})(?<mark>[/.-])(\d{1,2})\k<mark>(?<year>\d{4}|\d\d)(?:(?<gap>,? |T)\d{1,2}:\d\d(?<seconds>:\d\d)?(?<half> ?[ap]\.?m\.?)?)?$/i

/** Orders of day and month, with the directives of `strptime`. */
const ORDERS = { 'Day first, as in 31/12/2025': 'dm', 'Month first, as in 12/31/2025': 'md' } as const

export interface DateForm {
  label: string
  /** Format with the directives of `strptime`. */
  format: string
}

/** Returns the forms in which dates of digits can be read: none for other forms, two if the order is unclear. */
export const dateForms = (times: readonly string[]): DateForm[] => {
  const dates = times.map(time => DATE.exec(time.trim())).filter(date => date !== null)
  const { mark, year = '', gap, seconds, half = '' } = dates[0]?.groups ?? {}
  if (mark === undefined) return []
  const hours = half
    ? `%I:%M${seconds ? ':%S' : ''}${half.startsWith(' ') ? ' ' : ''}%p`
    : `%H:%M${seconds ? ':%S' : ''}`
  const clock = gap === undefined ? '' : `${gap}${hours}`
  return Object.entries(ORDERS)
    .filter(([, order]) => dates.every(date => isInYear(date, order)))
    .map(([label, [first, second]]) => ({
      label,
      format: `%${first}${mark}%${second}${mark}${year.length === 2 ? '%y' : '%Y'}${clock}`,
    }))
}

/** Returns whether the month of a date exists in an order. */
const isInYear = ([, first, , third]: RegExpExecArray, order: 'dm' | 'md'): boolean =>
  Number(order === 'dm' ? third : first) <= 12
