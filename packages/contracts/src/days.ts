/** A day without a zone: `2026-11-28`. */
const DAY = /^\d{4}-\d\d-\d\d$/
const DAY_MS = 24 * 3_600_000
/** Names of the IANA database, such as `Europe/Paris` and `UTC`; offsets are no zones. */
const ZONE = /^[A-Za-z][A-Za-z0-9_+/-]{0,63}$/

const formats = new Map<string, Intl.DateTimeFormat>()
/** Formats in memory: there are some 600 zones. */
const FORMATS_MAX = 1_000

const formatOf = (zone: string): Intl.DateTimeFormat => {
  const known = formats.get(zone)
  if (known) return known
  const made = new Intl.DateTimeFormat('en-US', {
    timeZone: zone,
    hourCycle: 'h23',
    year: 'numeric',
    month: 'numeric',
    day: 'numeric',
    hour: 'numeric',
    minute: 'numeric',
    second: 'numeric',
  })
  if (formats.size < FORMATS_MAX) formats.set(zone, made)
  return made
}

/** Returns whether a text names a time zone of the IANA database. */
export const isZone = (zone: string): boolean => {
  if (!ZONE.test(zone)) return false
  try {
    formatOf(zone)
    return true
  } catch {
    return false
  }
}

/** Returns the offset of a zone from UTC at a time, in milliseconds. */
export const offsetOf = (time: number, zone: string): number => {
  if (zone === 'UTC') return 0
  const parts = formatOf(zone).formatToParts(time)
  const at = (type: string) => Number(parts.find(part => part.type === type)?.value)
  const local = Date.UTC(at('year'), at('month') - 1, at('day'), at('hour'), at('minute'), at('second'))
  return local - Math.floor(time / 1_000) * 1_000
}

/** Returns whether a text is a day that exists. */
export const isDay = (day: string): boolean =>
  DAY.test(day) && new Date(`${day}T00:00:00Z`).toJSON()?.slice(0, 10) === day

/** Returns the day that is some days later, or earlier if negative. */
export const addDays = (day: string, days: number): string =>
  new Date(Date.parse(`${day}T00:00:00Z`) + days * DAY_MS).toISOString().slice(0, 10)

/** Returns the number of days from one day to another, both included. */
export const countDaysBetween = (from: string, to: string): number =>
  Math.round((Date.parse(`${to}T00:00:00Z`) - Date.parse(`${from}T00:00:00Z`)) / DAY_MS) + 1

/** Returns the first millisecond of a day in a zone: 00:00, or the end of a gap that contains it. */
export const startOfDay = (day: string, zone: string): number => {
  const local = Date.parse(`${day}T00:00:00Z`)
  const earlier = offsetOf(local - DAY_MS, zone)
  const later = offsetOf(local + DAY_MS, zone)
  if (earlier === later) return local - earlier
  // The offset changes around this midnight: the first time whose local time is this day.
  let [before, from] = [local - Math.max(earlier, later) - 1, local - Math.min(earlier, later)]
  while (from - before > 1) {
    const middle = Math.floor((before + from) / 2)
    if (middle + offsetOf(middle, zone) < local) before = middle
    else from = middle
  }
  return from
}

/** Returns the times from the start of one day to the end of another, for a query; undefined without bounds. */
export const timesOf = ({
  from,
  to,
  zone = 'UTC',
}: {
  from?: string | undefined
  to?: string | undefined
  zone?: string | undefined
}): { $gte?: Date; $lt?: Date } | undefined =>
  from || to
    ? {
        ...(from && { $gte: new Date(startOfDay(from, zone)) }),
        ...(to && { $lt: new Date(startOfDay(addDays(to, 1), zone)) }),
      }
    : undefined

/** Returns the starts of the days of a period in a zone, and the end of the last one. */
export const dayStarts = (from: string, to: string, zone: string): number[] =>
  Array.from({ length: countDaysBetween(from, to) + 1 }, (_, n) => startOfDay(addDays(from, n), zone))

/** Returns the period of equal length that ends on the day before this one. */
export const periodBefore = ({ from, to }: { from: string; to: string }): { from: string; to: string } => ({
  from: addDays(from, -countDaysBetween(from, to)),
  to: addDays(from, -1),
})
