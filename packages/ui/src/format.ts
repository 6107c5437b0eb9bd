type DateInput = string | number | Date

const UNITS: [Intl.RelativeTimeFormatUnit, seconds: number][] = [
  ['year', 31_536_000],
  ['month', 2_592_000],
  ['day', 86_400],
  ['hour', 3_600],
  ['minute', 60],
]

const formatter = (locale: string, options: Intl.DateTimeFormatOptions) => {
  const format = new Intl.DateTimeFormat(locale, options)
  return (value: DateInput): string => {
    const date = new Date(value)
    return Number.isNaN(date.getTime()) ? '' : format.format(date)
  }
}

/** Formats a date as 'June 17, 2025'. */
export const formatLongDate = formatter('en-US', { dateStyle: 'long' })
/** Formats a date as 'Jun 17, 2025'. */
export const formatDate = formatter('en-US', { dateStyle: 'medium' })
/** Formats a date as 'Jun 17, 2025, 2:05 PM'. */
export const formatDateTime = formatter('en-US', { dateStyle: 'medium', timeStyle: 'short' })
/** Formats a date as '17 juin 2025'. */
export const formatFrenchDate = formatter('fr-FR', { day: 'numeric', month: 'short', year: 'numeric' })
/** Formats a date as '17 juin 2025, 14:05'. */
export const formatFrenchDateTime = formatter('fr-FR', { dateStyle: 'medium', timeStyle: 'short' })

const relativeFormatter = (locale: string, justNow: string) => {
  const relative = new Intl.RelativeTimeFormat(locale, { numeric: 'auto' })
  return (value: DateInput, now: number = Date.now()): string => {
    const seconds = (new Date(value).getTime() - now) / 1000
    for (const [unit, size] of UNITS) {
      if (Math.abs(seconds) >= size) return relative.format(Math.trunc(seconds / size), unit)
    }
    return justNow
  }
}

/** Returns '3 hours ago', 'yesterday' or 'just now'. */
export const formatRelative = relativeFormatter('en', 'just now')
/** Returns 'il y a 3 heures', 'hier' or 'à l’instant'. */
export const formatFrenchRelative = relativeFormatter('fr', 'à l’instant')

/** Returns '12,345', or '12,345+' if the count is a lower bound. */
export const formatCount = (count: number, isExact = true): string =>
  count.toLocaleString('en-US') + (isExact ? '' : '+')
/** Returns '12 345', with narrow spaces. */
export const formatFrenchCount = (count: number): string => count.toLocaleString('fr-FR')

/** Formats a count with its noun: '1 IOD', '1,200 IODs'. */
export const formatAmount = (count: number, one: string, many = `${one}s`): string =>
  `${formatCount(count)} ${count === 1 ? one : many}`

/** Returns the first `max` characters (code points), followed by '…' if the value is longer. */
export const truncate = (value: string, max: number): string => {
  const characters = Array.from(value)
  return characters.length > max ? `${characters.slice(0, max).join('')}…` : value
}
