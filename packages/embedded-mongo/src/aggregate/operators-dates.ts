import { asInteger } from '../bson/numbers.js'
import { Doc, typeName, type Value } from '../bson/values.js'
import { fail } from '../errors.js'
import { missing, namedSpecs, type Operator, withNames } from './operator.js'
import { parseDate, timeOf } from './operators-types.js'

type Named = Record<string, Value | undefined>

const dayMs = 86_400_000

const formats = new Map<string, Intl.DateTimeFormat>()

/** Returns the UTC offset of a zone at a time, in milliseconds. Zones are `UTC`, `+hh:mm` or Olson names. */
const offsetAt = (time: number, zone: Value | undefined): number => {
  if (isUtc(zone)) return 0
  if (typeof zone !== 'string')
    return fail(40517, `timezone must evaluate to a string, found ${typeName(zone)}`)
  const fixed = /^([+-])(\d{2}):?(\d{2})?$/.exec(zone)
  if (fixed) return (fixed[1] === '-' ? -1 : 1) * (Number(fixed[2]) * 60 + Number(fixed[3] ?? 0)) * 60_000
  let format = formats.get(zone)
  if (!format) {
    try {
      format = new Intl.DateTimeFormat('en-US', {
        timeZone: zone,
        hourCycle: 'h23',
        year: 'numeric',
        month: 'numeric',
        day: 'numeric',
        hour: 'numeric',
        minute: 'numeric',
        second: 'numeric',
      })
    } catch {
      return fail(40485, `unrecognized time zone identifier: "${zone}"`)
    }
    formats.set(zone, format)
  }
  const part = Object.fromEntries(format.formatToParts(time).map(({ type, value }) => [type, Number(value)]))
  const local = Date.UTC(part.year!, part.month! - 1, part.day!, part.hour!, part.minute!, part.second!)
  return local - Math.floor(time / 1000) * 1000
}

/** Returns the local time in a zone, as a Date whose UTC fields are the local ones. */
const local = (time: number, zone: Value | undefined): Date => new Date(time + offsetAt(time, zone))

/** Converts a zone's local time to UTC. */
const fromLocal = (shown: number, zone: Value | undefined): number => {
  const guess = shown - offsetAt(shown, zone)
  return shown - offsetAt(guess, zone)
}

const dateTime = (name: string, value: Value): number =>
  timeOf(value) ?? fail(16006, `can't convert from BSON type ${typeName(value)} to Date in ${name}`)

const dayOfYear = (date: Date) =>
  Math.floor((date.getTime() - Date.UTC(date.getUTCFullYear(), 0, 1)) / dayMs) + 1

const isoDay = (date: Date) => date.getUTCDay() || 7

/** Returns the ISO 8601 week, and the year that its Thursday is in. */
const isoWeek = (date: Date): { year: number; week: number } => {
  const thursday = new Date(date.getTime() + (4 - isoDay(date)) * dayMs)
  return { year: thursday.getUTCFullYear(), week: Math.ceil(dayOfYear(thursday) / 7) }
}

const week = (date: Date) => Math.floor((dayOfYear(date) - 1 + 7 - date.getUTCDay()) / 7)

/** Defines an operator for one part of a date. Its argument is the date, or the date and a zone. */
const part = (name: string, read: (date: Date) => Value): [string, Operator] => [
  name,
  (spec, compile) => {
    const given = Array.isArray(spec) && spec.length === 1 ? spec[0]! : spec
    const named =
      given instanceof Doc && given.has('date')
        ? new Map(namedSpecs(name, given, ['date'], ['timezone']))
        : new Map([['date', given]])
    const date = compile(named.get('date')!)
    const zone = named.has('timezone') ? compile(named.get('timezone')!) : undefined
    return doc => {
      const value = date(doc)
      const at = zone?.(doc)
      if (missing(value) || (zone && missing(at))) return null
      return read(local(dateTime(name, value), at))
    }
  },
]

const pad = (value: number, size: number) => String(value).padStart(size, '0')
const months = [
  'January',
  'February',
  'March',
  'April',
  'May',
  'June',
  'July',
  'August',
  'September',
  'October',
  'November',
  'December',
]

const formatted = (time: number, format: string, zone: Value | undefined): string => {
  const offset = offsetAt(time, zone)
  const date = new Date(time + offset)
  if (date.getUTCFullYear() < 0 || date.getUTCFullYear() > 9999)
    fail(18537, `$dateToString is only defined on year 0-9999, tried to use year ${date.getUTCFullYear()}`)
  const minutes = offset / 60_000
  return format.replace(/%(.?)/gs, (_, letter: string) => {
    switch (letter) {
      case 'Y':
        return pad(date.getUTCFullYear(), 4)
      case 'm':
        return pad(date.getUTCMonth() + 1, 2)
      case 'd':
        return pad(date.getUTCDate(), 2)
      case 'H':
        return pad(date.getUTCHours(), 2)
      case 'M':
        return pad(date.getUTCMinutes(), 2)
      case 'S':
        return pad(date.getUTCSeconds(), 2)
      case 'L':
        return pad(date.getUTCMilliseconds(), 3)
      case 'j':
        return pad(dayOfYear(date), 3)
      case 'w':
        return String(date.getUTCDay() + 1)
      case 'u':
        return String(isoDay(date))
      case 'U':
        return pad(week(date), 2)
      case 'V':
        return pad(isoWeek(date).week, 2)
      case 'G':
        return pad(isoWeek(date).year, 4)
      case 'b':
        return months[date.getUTCMonth()]!.slice(0, 3)
      case 'B':
        return months[date.getUTCMonth()]!
      case 'z':
        return `${minutes < 0 ? '-' : '+'}${pad(Math.floor(Math.abs(minutes) / 60), 2)}${pad(Math.abs(minutes) % 60, 2)}`
      case 'Z':
        return String(minutes)
      case '%':
        return '%'
      default:
        return badFormat(letter)
    }
  })
}

const badFormat = (letter: string): never =>
  letter === ''
    ? fail(18535, "Unmatched '%' at end of format string")
    : fail(18536, `Invalid format character '%${letter}' in format string`)

/** The patterns of the format letters of `$dateFromString`. */
const readable: ReadonlyMap<string, string> = new Map([
  ['Y', '(?<year>\\d{4})'],
  ['m', '(?<month>\\d{1,2})'],
  ['b', '(?<monthName>[A-Za-z]+)'],
  ['B', '(?<monthName>[A-Za-z]+)'],
  ['d', '(?<day>\\d{1,2})'],
  ['j', '(?<yearDay>\\d{1,3})'],
  ['G', '(?<isoYear>\\d{4})'],
  ['V', '(?<isoWeek>\\d{1,2})'],
  ['u', '(?<isoDay>\\d)'],
  ['H', '(?<hour>\\d{1,2})'],
  ['M', '(?<minute>\\d{1,2})'],
  ['S', '(?<second>\\d{1,2})'],
  ['L', '(?<millisecond>\\d{1,3})'],
  ['z', '(?<zone>[+-]\\d{2}:?(?:\\d{2})?|[A-Za-z][\\w/+-]*)'],
  ['Z', '(?<offset>[+-]\\d{1,4})'],
  ['%', '%'],
])

const patterns = new Map<string, RegExp>()

/** Translates a format to a regular expression with a named group for each part. */
const patternOf = (format: string): RegExp => {
  const known = patterns.get(format)
  if (known) return known
  const seen = new Set<string>()
  const source = format.replace(/%(.?)|[^%]+/gs, (literal, letter: string | undefined) => {
    if (letter === undefined) return literal.replace(/[.*+?^${}()|[\]\\/]/g, '\\$&')
    const part = readable.get(letter) ?? badFormat(letter)
    const name = /<(\w+)>/.exec(part)?.[1]
    if (name === undefined) return part
    if (seen.has(name)) return fail(241, `Error parsing date string: the format names ${name} twice`)
    seen.add(name)
    return part
  })
  const made = new RegExp(`^${source}$`)
  if (patterns.size >= 100) patterns.clear()
  patterns.set(format, made)
  return made
}

type ReadDate = { shown: number; zone: Value | undefined }

/** Parses a date by a format; undefined if it does not match or the day does not exist. */
const readDate = (text: string, format: string): ReadDate | undefined => {
  const part = patternOf(format).exec(text)?.groups
  if (!part) return undefined
  const number = (name: string, otherwise: number) =>
    part[name] === undefined ? otherwise : Number(part[name])
  const day = dayOf(part)
  if (day === undefined) return undefined
  const [hour, minute, second] = [number('hour', 0), number('minute', 0), number('second', 0)]
  if (hour > 23 || minute > 59 || second > 59) return undefined
  const millisecond = Number((part.millisecond ?? '0').padEnd(3, '0'))
  const shown = day + ((hour * 60 + minute) * 60 + second) * 1000 + millisecond
  if (part.offset !== undefined) return { shown: shown - Number(part.offset) * 60_000, zone: 'UTC' }
  return { shown, zone: part.zone === undefined ? undefined : part.zone.replace(/^([+-]\d{2}):?$/, '$1') }
}

/** Returns the parsed day as midnight UTC, from month and day, day of the year, or ISO week. */
const dayOf = (part: Record<string, string | undefined>): number | undefined => {
  const start = (year: string, month = 0, day = 1) => {
    const date = new Date(0)
    date.setUTCFullYear(Number(year), month, day)
    return date
  }
  if (part.isoYear !== undefined || part.isoWeek !== undefined || part.isoDay !== undefined) {
    const others = ['year', 'month', 'monthName', 'day', 'yearDay'].some(name => part[name] !== undefined)
    if (others || part.isoYear === undefined || part.isoWeek === undefined) return undefined
    const [week, weekDay] = [Number(part.isoWeek), Number(part.isoDay ?? 1)]
    const fourth = start(part.isoYear, 0, 4)
    const day = fourth.getTime() + ((week - 1) * 7 + weekDay - isoDay(fourth)) * dayMs
    const found = isoWeek(new Date(day))
    return weekDay >= 1 && weekDay <= 7 && found.week === week && found.year === Number(part.isoYear)
      ? day
      : undefined
  }
  if (part.year === undefined) return undefined
  if (part.yearDay !== undefined && part.day === undefined) {
    const date = start(part.year, 0, Number(part.yearDay))
    return date.getUTCFullYear() === Number(part.year) ? date.getTime() : undefined
  }
  const name = part.monthName?.toLowerCase()
  const month =
    name === undefined
      ? Number(part.month ?? Number.NaN) - 1
      : months.findIndex(one => [one.toLowerCase(), one.slice(0, 3).toLowerCase()].includes(name))
  const date = start(part.year, month, Number(part.day ?? Number.NaN))
  return date.getUTCMonth() === month && date.getUTCDate() === Number(part.day) ? date.getTime() : undefined
}

const isUtc = (zone: Value | undefined) =>
  zone === undefined || zone === 'UTC' || zone === 'GMT' || zone === 'Z'

const dateToString = ({ date, format, timezone, onNull }: Named): Value | undefined => {
  if (missing(date)) return onNull === undefined ? null : onNull
  if (timezone === null || format === null) return null
  const text = format ?? `%Y-%m-%dT%H:%M:%S.%L${isUtc(timezone) ? 'Z' : ''}`
  if (typeof text !== 'string')
    return fail(18533, `$dateToString requires that 'format' be a string, found: ${typeName(text)}`)
  return formatted(dateTime('$dateToString', date), text, timezone)
}

const dateFromString = ({ dateString, format, timezone, onError, onNull }: Named): Value | undefined => {
  if (missing(dateString)) return onNull === undefined ? null : onNull
  if (timezone === null || format === null) return null
  if (format !== undefined && typeof format !== 'string')
    return fail(40684, `$dateFromString requires that 'format' be a string, found: ${typeName(format)}`)
  const failed = (why = '') =>
    onError !== undefined ? onError : fail(241, `Error parsing date string '${String(dateString)}'${why}`)
  if (format !== undefined) patternOf(format)
  if (typeof dateString !== 'string') return failed()
  const read = format === undefined ? isoDate(dateString) : readDate(dateString, format)
  if (!read) return failed()
  if (read.zone !== undefined && timezone !== undefined)
    return failed(
      '; you cannot pass in a date/time string with time zone information together with a timezone argument',
    )
  try {
    return new Date(fromLocal(read.shown, read.zone ?? timezone))
  } catch (error) {
    // An unknown zone in the text counts as a parse error.
    if (read.zone === undefined) throw error
    return failed()
  }
}

const isoDate = (text: string): ReadDate | undefined => {
  const parsed = parseDate(text)
  const named = /T.*(Z|[+-]\d{2}:?\d{2})$| .*(Z|[+-]\d{2}:?\d{2})$/.test(text)
  return parsed && { shown: parsed.getTime(), zone: named ? 'UTC' : undefined }
}

const whole = (name: string, value: Value | undefined, otherwise: number): number =>
  value === undefined
    ? otherwise
    : (asInteger(value) ?? fail(40515, `${name} must evaluate to an integer, found ${typeName(value)}`))

const dateFromParts = (given: Named): Value => {
  if (Object.values(given).some(value => value === null)) return null
  const { year, month, day, hour, minute, second, millisecond, timezone } = given
  const { isoWeekYear, isoWeek, isoDayOfWeek } = given
  const shown = new Date(0)
  if (isoWeekYear === undefined) {
    if (isoWeek !== undefined || isoDayOfWeek !== undefined)
      fail(40489, '$dateFromParts does not allow mixing natural dates with ISO dates')
    if (year === undefined)
      fail(40516, "$dateFromParts requires either 'year' or 'isoWeekYear' to be present")
    shown.setUTCFullYear(whole('year', year, 1970), whole('month', month, 1) - 1, whole('day', day, 1))
  } else {
    if (year !== undefined || month !== undefined || day !== undefined)
      fail(40525, '$dateFromParts does not allow mixing natural dates with ISO dates')
    shown.setUTCFullYear(whole('isoWeekYear', isoWeekYear, 1970), 0, 4)
    const days = (whole('isoWeek', isoWeek, 1) - 1) * 7 + whole('isoDayOfWeek', isoDayOfWeek, 1)
    shown.setTime(shown.getTime() + (days - isoDay(shown)) * dayMs)
  }
  shown.setUTCHours(
    whole('hour', hour, 0),
    whole('minute', minute, 0),
    whole('second', second, 0),
    whole('millisecond', millisecond, 0),
  )
  return new Date(fromLocal(shown.getTime(), timezone))
}

const dateToParts = ({ date, timezone, iso8601 }: Named): Value => {
  if (missing(date) || timezone === null) return null
  const shown = local(dateTime('$dateToParts', date), timezone)
  const clock = {
    hour: shown.getUTCHours(),
    minute: shown.getUTCMinutes(),
    second: shown.getUTCSeconds(),
    millisecond: shown.getUTCMilliseconds(),
  }
  if (iso8601 !== true)
    return Doc.of({
      year: shown.getUTCFullYear(),
      month: shown.getUTCMonth() + 1,
      day: shown.getUTCDate(),
      ...clock,
    })
  const { year, week: isoWeekNumber } = isoWeek(shown)
  return Doc.of({ isoWeekYear: year, isoWeek: isoWeekNumber, isoDayOfWeek: isoDay(shown), ...clock })
}

const unitMs: Record<string, number> = {
  millisecond: 1,
  second: 1000,
  minute: 60_000,
  hour: 3_600_000,
  day: dayMs,
  week: 7 * dayMs,
}
const unitMonths: Record<string, number> = { month: 1, quarter: 3, year: 12 }

const unitOf = (name: string, value: Value | undefined): string =>
  typeof value === 'string' && (value in unitMs || value in unitMonths)
    ? value
    : fail(5439013, `${name} requires 'unit' to be a valid time unit`)

const added =
  (name: string, sign: number) =>
  ({ startDate, unit, amount, timezone }: Named): Value => {
    if (missing(startDate) || missing(unit) || missing(amount) || timezone === null) return null
    const start = dateTime(name, startDate)
    const by = unitOf(name, unit)
    const count = (asInteger(amount) ?? fail(5166405, `${name} expects integer amount of time units`)) * sign
    const ms = unitMs[by]
    if (ms !== undefined && ms < dayMs) return new Date(start + ms * count)
    const shown = local(start, timezone)
    if (ms !== undefined) return new Date(fromLocal(shown.getTime() + ms * count, timezone))
    const day = shown.getUTCDate()
    shown.setUTCDate(1)
    shown.setUTCMonth(shown.getUTCMonth() + unitMonths[by]! * count)
    const last = new Date(Date.UTC(shown.getUTCFullYear(), shown.getUTCMonth() + 1, 0)).getUTCDate()
    shown.setUTCDate(Math.min(day, last))
    return new Date(fromLocal(shown.getTime(), timezone))
  }

const weekdays = ['sunday', 'monday', 'tuesday', 'wednesday', 'thursday', 'friday', 'saturday']

const weekday = (name: string, value: Value | undefined): number => {
  if (value === undefined) return 0
  const found =
    typeof value === 'string'
      ? weekdays.findIndex(day => day === value.toLowerCase() || day.slice(0, 3) === value.toLowerCase())
      : -1
  return found < 0 ? fail(5439015, `${name} requires 'startOfWeek' to be a day of the week`) : found
}

/** Returns the number of a date's month, week, hour … since a fixed origin, for `$dateTrunc` and `$dateDiff`. */
const unitNumber = (shown: Date, unit: string, firstDay: number): number => {
  const monthly = unitMonths[unit]
  if (monthly) return Math.floor((shown.getUTCFullYear() * 12 + shown.getUTCMonth()) / monthly)
  // 2 January 2000 was a Sunday.
  const from = unit === 'week' ? Date.UTC(2000, 0, 2 + firstDay) : Date.UTC(2000, 0, 1)
  return Math.floor((shown.getTime() - from) / unitMs[unit]!)
}

const dateTrunc = ({ date, unit, binSize, timezone, startOfWeek }: Named): Value => {
  if (missing(date) || missing(unit) || binSize === null || timezone === null) return null
  const by = unitOf('$dateTrunc', unit)
  const size = whole('binSize', binSize, 1)
  if (size < 1) fail(5439018, "$dateTrunc requires 'binSize' to be greater than 0")
  const firstDay = weekday('$dateTrunc', startOfWeek)
  const shown = local(dateTime('$dateTrunc', date), timezone)
  const number = unitNumber(shown, by, firstDay)
  const monthly = unitMonths[by]
  if (monthly) {
    const base = Math.floor((2000 * 12) / monthly)
    const first = (base + Math.floor((number - base) / size) * size) * monthly
    const start = new Date(0)
    start.setUTCFullYear(Math.floor(first / 12), first % 12, 1)
    return new Date(fromLocal(start.getTime(), timezone))
  }
  const from = by === 'week' ? Date.UTC(2000, 0, 2 + firstDay) : Date.UTC(2000, 0, 1)
  return new Date(fromLocal(from + Math.floor(number / size) * size * unitMs[by]!, timezone))
}

const dateDiff = ({ startDate, endDate, unit, timezone, startOfWeek }: Named): Value => {
  if (missing(startDate) || missing(endDate) || missing(unit) || timezone === null) return null
  const by = unitOf('$dateDiff', unit)
  const firstDay = weekday('$dateDiff', startOfWeek)
  const number = (value: Value) => unitNumber(local(dateTime('$dateDiff', value), timezone), by, firstDay)
  return BigInt(number(endDate) - number(startDate))
}

export const dateOperators: [string, Operator][] = [
  part('$year', date => date.getUTCFullYear()),
  part('$month', date => date.getUTCMonth() + 1),
  part('$dayOfMonth', date => date.getUTCDate()),
  part('$dayOfWeek', date => date.getUTCDay() + 1),
  part('$dayOfYear', dayOfYear),
  part('$hour', date => date.getUTCHours()),
  part('$minute', date => date.getUTCMinutes()),
  part('$second', date => date.getUTCSeconds()),
  part('$millisecond', date => date.getUTCMilliseconds()),
  part('$week', week),
  part('$isoWeek', date => isoWeek(date).week),
  part('$isoWeekYear', date => BigInt(isoWeek(date).year)),
  part('$isoDayOfWeek', isoDay),
  ['$dateToString', withNames('$dateToString', ['date'], ['format', 'timezone', 'onNull'], dateToString)],
  [
    '$dateFromString',
    withNames('$dateFromString', ['dateString'], ['format', 'timezone', 'onError', 'onNull'], dateFromString),
  ],
  [
    '$dateFromParts',
    withNames(
      '$dateFromParts',
      [],
      [
        'year',
        'month',
        'day',
        'isoWeekYear',
        'isoWeek',
        'isoDayOfWeek',
        'hour',
        'minute',
        'second',
        'millisecond',
        'timezone',
      ],
      dateFromParts,
    ),
  ],
  ['$dateToParts', withNames('$dateToParts', ['date'], ['timezone', 'iso8601'], dateToParts)],
  ['$dateAdd', withNames('$dateAdd', ['startDate', 'unit', 'amount'], ['timezone'], added('$dateAdd', 1))],
  [
    '$dateSubtract',
    withNames('$dateSubtract', ['startDate', 'unit', 'amount'], ['timezone'], added('$dateSubtract', -1)),
  ],
  [
    '$dateTrunc',
    withNames('$dateTrunc', ['date', 'unit'], ['binSize', 'timezone', 'startOfWeek'], dateTrunc),
  ],
  [
    '$dateDiff',
    withNames('$dateDiff', ['startDate', 'endDate', 'unit'], ['timezone', 'startOfWeek'], dateDiff),
  ],
]
