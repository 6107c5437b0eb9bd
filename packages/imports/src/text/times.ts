/** Units of a number, by its size: seconds until the year 5138, then milliseconds, then microseconds. */
const SECONDS = [1e8, 1e11]
const MILLISECONDS = 1e14
const MICROSECONDS = 1e17

const MONTHS = 'jan feb mar apr may jun jul aug sep oct nov dec'.split(' ')
const WEEKDAY = '(?:mon|tue|wed|thu|fri|sat|sun)[a-z]*'
const MONTH = `(?<month>${MONTHS.join('|')})[a-z]*`
const CLOCK = '(?<hour>\\d{1,2}):(?<minute>\\d\\d)(?::(?<second>\\d\\d)(?:[.,](?<fraction>\\d+))?)?'
const ZONE = '(?:\\s*(?<zone>Z|[+-]\\d\\d(?::?\\d\\d)?|[A-Z]{1,5}))?'

/** ISO 8601 also with a space, RFC 5322, and the form of X's API. */
const FORMS = [
  new RegExp(`^(?<year>\\d{4})-(?<month>\\d\\d)-(?<day>\\d\\d)(?:(?:T|\\s+)${CLOCK}${ZONE})?$`, 'i'),
  new RegExp(
    `^(?<year>\\d{4})(?<month>\\d\\d)(?<day>\\d\\d)T(?<hour>\\d\\d)(?<minute>\\d\\d)(?<second>\\d\\d)${ZONE}$`,
    'i',
  ),
  new RegExp(
    `^(?:${WEEKDAY},?\\s+)?(?<day>\\d{1,2})\\s+${MONTH}\\s+(?<year>\\d{4}|\\d\\d)\\s+${CLOCK}${ZONE}$`,
    'i',
  ),
  new RegExp(`^${WEEKDAY}\\s+${MONTH}\\s+(?<day>\\d{1,2})\\s+${CLOCK}${ZONE}\\s+(?<year>\\d{4})$`, 'i'),
]

/** Offsets of the names in RFC 5322, section 4.3, in hours. Others name several zones. */
const NAMED_OFFSETS: Record<string, number> = {
  ut: 0,
  utc: 0,
  gmt: 0,
  z: 0,
  est: -5,
  edt: -4,
  cst: -6,
  cdt: -5,
  mst: -7,
  mdt: -6,
  pst: -8,
  pdt: -7,
}

const MINUTE = 60_000

/** Returns the offset of a written zone, in minutes; undefined if it is unknown. */
const offsetOf = (zone: string): number | undefined => {
  const [, sign, hours = '', minutes = '0'] = /^([+-])(\d\d):?(\d\d)?$/.exec(zone) ?? []
  if (sign) return (sign === '-' ? -1 : 1) * (Number(hours) * 60 + Number(minutes))
  const named = zone.toLowerCase()
  return Object.hasOwn(NAMED_OFFSETS, named) ? (NAMED_OFFSETS[named] ?? 0) * 60 : undefined
}

const zones = new Map<string, Intl.DateTimeFormat>()
/** @throws RangeError for an unknown zone */
const zoneFormat = (timeZone: string): Intl.DateTimeFormat => {
  const known = zones.get(timeZone)
  if (known) return known
  const made = new Intl.DateTimeFormat('en-US-u-ca-iso8601-nu-latn', {
    timeZone,
    hourCycle: 'h23',
    year: 'numeric',
    month: 'numeric',
    day: 'numeric',
    hour: 'numeric',
    minute: 'numeric',
    second: 'numeric',
  })
  zones.set(timeZone, made)
  return made
}

/** Returns whether a text names a time zone: of the IANA database, or an offset such as `+02:00`. */
export const isTimeZone = (zone: string): boolean => {
  if (offsetOf(zone) !== undefined) return true
  try {
    return Boolean(zoneFormat(zone))
  } catch {
    return false
  }
}

/** Returns the local time in a zone at an instant, as the milliseconds of the same digits in UTC. */
const localAt = (instant: number, timeZone: string): number => {
  const parts: Record<string, number> = {}
  for (const { type, value } of zoneFormat(timeZone).formatToParts(instant)) parts[type] = Number(value)
  const { year = 0, month = 1, day, hour, minute, second } = parts
  return Date.UTC(year, month - 1, day, hour, minute, second)
}

/**
 * Returns the instant of a local time. Of the two instants in an hour that repeats, the first; a time that a change of
 * clocks skips is read with the offset before the change.
 */
const instantIn = (local: number, zone: string): number => {
  const fixed = offsetOf(zone)
  if (fixed !== undefined) return local - fixed * MINUTE
  const whole = Math.floor(local / 1_000) * 1_000
  const DAY = 86_400_000
  const [before, after] = [whole - DAY, whole + DAY].map(at => localAt(at, zone) - at)
  const candidates = [before, after].map(offset => local - (offset ?? 0))
  const exact = candidates.filter(at => localAt(Math.floor(at / 1_000) * 1_000, zone) === whole)
  return exact.length > 0 ? Math.min(...exact) : (candidates[0] ?? local)
}

type Fields = Record<string, string | undefined>

/** Returns the milliseconds of a date and time of day in UTC; undefined if they do not exist. */
const digits = (fields: Fields): number | undefined => {
  const {
    year = '',
    month = '',
    day = '',
    hour = '0',
    minute = '0',
    second = '0',
    fraction = '',
    half,
  } = fields
  const named = MONTHS.indexOf(month.slice(0, 3).toLowerCase())
  const [y, m, d] = [Number(year), named < 0 ? Number(month) - 1 : named, Number(day)]
  // RFC 5322, section 4.3; strptime's %y.
  const full = year.length > 2 ? y : y < 69 ? 2000 + y : 1900 + y
  const of12 = half ? (Number(hour) % 12) + (/^p/i.test(half) ? 12 : 0) : Number(hour)
  if (half && (Number(hour) < 1 || Number(hour) > 12)) return undefined
  const milliseconds = Number(fraction.slice(0, 3).padEnd(3, '0'))
  // A leap second is read as the last second.
  const sec = Math.min(Number(second), 59)
  if (of12 > 23 || Number(minute) > 59 || Number(second) > 60) return undefined
  const at = Date.UTC(full, m, d, of12, Number(minute), sec, milliseconds)
  const on = new Date(at)
  return full >= 1970 && on.getUTCMonth() === m && on.getUTCDate() === d ? at : undefined
}

const escaped = (text: string) => text.replace(/[.*+?^${}()|[\]\\/]/g, '\\$&')
/** Directives of `strptime` in C and Python. */
const DIRECTIVES: Record<string, string> = {
  Y: '(?<year>\\d{4})',
  y: '(?<year>\\d\\d)',
  m: '(?<month>\\d{1,2})',
  d: '(?<day>\\d{1,2})',
  e: '\\s?(?<day>\\d{1,2})',
  H: '(?<hour>\\d{1,2})',
  I: '(?<hour>\\d{1,2})',
  M: '(?<minute>\\d{1,2})',
  S: '(?<second>\\d{1,2})',
  f: '(?<fraction>\\d{1,9})',
  p: '(?<half>[ap]\\.?m\\.?)',
  b: MONTH,
  B: MONTH,
  h: MONTH,
  a: `${WEEKDAY}\\.?`,
  A: WEEKDAY,
  z: '(?<zone>Z|[+-]\\d\\d:?\\d\\d)',
  Z: '(?<zone>[A-Z]{1,5})',
  '%': '%',
}
const SHORTHANDS: Record<string, string> = { D: '%m/%d/%y', F: '%Y-%m-%d', T: '%H:%M:%S', R: '%H:%M' }

const formats = new Map<string, RegExp>()
/**
 * Returns the pattern of a date format with the directives of `strptime`.
 * @throws RangeError for an unknown directive, or one that occurs twice
 */
const formatPattern = (format: string): RegExp => {
  const known = formats.get(format)
  if (known) return known
  const long = format.replace(/%([DFTR])/g, (_, name: string) => SHORTHANDS[name] ?? '')
  const body = long.replace(/%(.)|%$|\s+|[^%\s]+/gs, (piece, name: string | undefined) => {
    if (name === undefined && piece !== '%') return /^\s/.test(piece) ? '\\s+' : escaped(piece)
    const directive = name !== undefined && Object.hasOwn(DIRECTIVES, name) ? DIRECTIVES[name] : undefined
    if (!directive) throw new RangeError(`Unknown directive in the date format: ${piece}`)
    return directive
  })
  try {
    const made = new RegExp(`^${body}$`, 'i')
    formats.set(format, made)
    return made
  } catch {
    throw new RangeError(`The date format has a directive twice: ${format}`)
  }
}

/** Returns whether a text is a date format that `timeOf` reads. */
export const isDateFormat = (format: string): boolean => {
  try {
    return Boolean(formatPattern(format))
  } catch {
    return false
  }
}

const numericTime = (value: number): number | undefined => {
  const [from = 0, to = 0] = SECONDS
  if (value >= from && value < to) return Math.round(value * 1_000)
  if (value >= to && value < MILLISECONDS) return Math.floor(value)
  return value >= MILLISECONDS && value < MICROSECONDS ? Math.floor(value / 1_000) : undefined
}

const standardFields = (text: string): Fields | undefined => {
  for (const form of FORMS) {
    const found = form.exec(text)
    if (found) return found.groups
  }
  return undefined
}

/** How times of a file are read that state no zone, or have an own form. */
export interface TimeRules {
  /** Zone of times without one: of the IANA database, or an offset. */
  zone?: string
  /** Format of texts, with the directives of `strptime`. Numbers and ISO 8601 are read, too. */
  format?: string
}

/**
 * Returns a time of a file as ISO 8601 in UTC with milliseconds. Reads seconds, milliseconds and microseconds since
 * 1970, also as text; ISO 8601, also with a space; RFC 5322 with the names of its zones; dates, as their first second.
 * Undefined if it is unreadable, before 1973 as a number, or without a zone and no rule names one.
 */
export const timeOf = (value: unknown, { zone, format }: TimeRules = {}): string | undefined => {
  if (typeof value === 'number' || typeof value === 'bigint') {
    const at = numericTime(Number(value))
    return at === undefined ? undefined : new Date(at).toISOString()
  }
  if (typeof value !== 'string' || value.length > 100) return undefined
  const text = value.trim()
  const custom = format ? formatPattern(format).exec(text)?.groups : undefined
  if (!custom && /^\d{9,17}(?:\.\d+)?$/.test(text)) return timeOf(Number(text))
  const fields: Fields | undefined = custom ?? standardFields(text)
  const local = fields && digits(fields)
  if (!fields || local === undefined) return undefined
  const stated = fields.zone === undefined ? undefined : offsetOf(fields.zone)
  if (fields.zone !== undefined && stated === undefined) return undefined
  if (stated === undefined && !zone) return undefined
  const at = stated === undefined ? instantIn(local, zone ?? 'UTC') : local - stated * MINUTE
  return new Date(at).toISOString()
}

/** Returns the whole seconds since 1970 of a time that `timeOf` returned. */
export const secondsOf = (time: string | undefined): number | undefined =>
  time === undefined ? undefined : Math.floor(Date.parse(time) / 1_000)
