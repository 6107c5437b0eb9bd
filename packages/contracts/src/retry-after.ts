/** Bounds of a wait, in seconds: never sooner than a second, never later than a day. */
const MIN_SECONDS = 1
const MAX_SECONDS = 86_400

const MONTHS = 'jan feb mar apr may jun jul aug sep oct nov dec'.split(' ')
const TIME = String.raw`(?<hour>\d\d):(?<minute>\d\d):(?<second>\d\d)`
/** RFC 9110, 5.6.7: IMF-fixdate, the form of RFC 850, and that of asctime. */
const DATES = [
  String.raw`(?:mon|tue|wed|thu|fri|sat|sun), (?<day>\d\d?) (?<month>[a-z]{3}) (?<year>\d{4}) ${TIME} (?:GMT|UTC)`,
  String.raw`(?:mon|tues|wednes|thurs|fri|satur|sun)day, (?<day>\d\d)-(?<month>[a-z]{3})-(?<year>\d\d) ${TIME} GMT`,
  String.raw`(?:mon|tue|wed|thu|fri|sat|sun) (?<month>[a-z]{3}) (?<day>[ \d]\d) ${TIME} (?<year>\d{4})`,
].map(form => new RegExp(`^${form}$`, 'i'))

/**
 * Returns the milliseconds since the epoch of an HTTP date; undefined for anything else, also for dates that do not
 * exist.
 */
const readHttpDate = (text: string, now: number): number | undefined => {
  const found = DATES.map(form => form.exec(text)?.groups).find(Boolean)
  if (!found) return undefined
  const month = MONTHS.indexOf((found.month ?? '').toLowerCase())
  const [day = 0, hour = 0, minute = 0, second = 0] = ['day', 'hour', 'minute', 'second'].map(name =>
    Number(found[name]),
  )
  let year = Number(found.year)
  if (found.year?.length === 2) {
    // RFC 9110, 5.6.7: a year more than 50 years ahead is the last past year with the same two digits.
    const present = new Date(now).getUTCFullYear()
    year += present - (present % 100)
    if (year > present + 50) year -= 100
  }
  const date = new Date(Date.UTC(year, month, day))
  const exists = month >= 0 && date.getUTCMonth() === month && date.getUTCDate() === day
  // 60 is a leap second.
  return exists && hour < 24 && minute < 60 && second <= 60
    ? date.getTime() + ((hour * 60 + minute) * 60 + second) * 1_000
    : undefined
}

/**
 * Reads the wait that a server requests: `retry-after-ms`, which some AI providers send, else `Retry-After`. Source:
 * RFC 9110, 10.2.3; decimals, which the standard does not have, are rounded up.
 * @param header value of a response header by its lower-case name
 * @param now milliseconds since the epoch
 * @returns whole seconds from 1 to 86,400; undefined without a header, and for one that is neither a number nor an HTTP
 *   date
 */
export const readRetryAfter = (
  header: (name: 'retry-after' | 'retry-after-ms') => string | null | undefined,
  now = Date.now(),
): number | undefined => {
  const numberOf = (text: string) => (/^(?:\d+(?:\.\d*)?|\.\d+)$/.test(text) ? Number(text) : undefined)
  const text = (header('retry-after') ?? '').trim()
  const ms = numberOf((header('retry-after-ms') ?? '').trim())
  const date = ms === undefined ? readHttpDate(text, now) : undefined
  const seconds = ms !== undefined ? ms / 1_000 : date !== undefined ? (date - now) / 1_000 : numberOf(text)
  return seconds === undefined ? undefined : Math.min(Math.max(Math.ceil(seconds), MIN_SECONDS), MAX_SECONDS)
}
