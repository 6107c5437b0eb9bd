import { asInteger } from '../bson/numbers.js'
import { Doc, typeName, type Value } from '../bson/values.js'
import { fail } from '../errors.js'
import { missing, namedSpecs, type Operator, withNames } from './operator.js'
import { parseDate, timeOf } from './operators-types.js'

type Named = Record<string, Value | undefined>

const dayMs = 86_400_000

const formats = new Map<string, Intl.DateTimeFormat>()

/** What a zone is ahead of UTC at a time, in milliseconds. Zones are `UTC`, `+hh:mm` or Olson names. */
const offsetAt = (time: number, zone: Value | undefined): number => {
  if (zone === undefined || zone === 'UTC' || zone === 'GMT' || zone === 'Z') return 0
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

/** A time as the clock of a zone shows it: a Date whose UTC fields are the local ones. */
const local = (time: number, zone: Value | undefined): Date => new Date(time + offsetAt(time, zone))

/** The time at which a zone's clock shows a local time. */
const fromLocal = (shown: number, zone: Value | undefined): number => {
  const guess = shown - offsetAt(shown, zone)
  return shown - offsetAt(guess, zone)
}

const dateTime = (name: string, value: Value): number =>
  timeOf(value) ?? fail(16006, `can't convert from BSON type ${typeName(value)} to Date in ${name}`)

const dayOfYear = (date: Date) =>
  Math.floor((date.getTime() - Date.UTC(date.getUTCFullYear(), 0, 1)) / dayMs) + 1

const isoDay = (date: Date) => date.getUTCDay() || 7

/** ISO 8601's week: the one that holds the date's Thursday. */
const isoWeek = (date: Date): { year: number; week: number } => {
  const thursday = new Date(date.getTime() + (4 - isoDay(date)) * dayMs)
  return { year: thursday.getUTCFullYear(), week: Math.ceil(dayOfYear(thursday) / 7) }
}

const week = (date: Date) => Math.floor((dayOfYear(date) - 1 + 7 - date.getUTCDay()) / 7)

/** An operator that reads one part of a date, given alone or with a zone. */
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
        return fail(18536, `Invalid format character '%${letter}' in format string`)
    }
  })
}

const dateToString = ({ date, format, timezone, onNull }: Named): Value | undefined => {
  if (missing(date)) return onNull === undefined ? null : onNull
  if (timezone === null || format === null) return null
  const text = format ?? '%Y-%m-%dT%H:%M:%S.%LZ'
  if (typeof text !== 'string')
    return fail(18533, `$dateToString requires that 'format' be a string, found: ${typeName(text)}`)
  return formatted(dateTime('$dateToString', date), text, timezone)
}

const dateFromString = ({ dateString, timezone, onError, onNull }: Named): Value | undefined => {
  if (missing(dateString)) return onNull === undefined ? null : onNull
  const parsed = typeof dateString === 'string' ? parseDate(dateString) : undefined
  if (!parsed)
    return onError !== undefined ? onError : fail(241, `Error parsing date string '${String(dateString)}'`)
  return timezone === undefined ? parsed : new Date(fromLocal(parsed.getTime(), timezone))
}

const whole = (name: string, value: Value | undefined, otherwise: number): number =>
  value === undefined
    ? otherwise
    : (asInteger(value) ?? fail(40515, `${name} must evaluate to an integer, found ${typeName(value)}`))

const dateFromParts = (given: Named): Value => {
  if (Object.values(given).some(value => value === null)) return null
  const { year, month, day, hour, minute, second, millisecond, timezone } = given
  const shown = new Date(0)
  shown.setUTCFullYear(whole('year', year, 1970), whole('month', month, 1) - 1, whole('day', day, 1))
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

/** Which month of all, which week, which hour …: what `$dateTrunc` and `$dateDiff` count in. */
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
    withNames('$dateFromString', ['dateString'], ['timezone', 'onError', 'onNull'], dateFromString),
  ],
  [
    '$dateFromParts',
    withNames(
      '$dateFromParts',
      ['year'],
      ['month', 'day', 'hour', 'minute', 'second', 'millisecond', 'timezone'],
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
