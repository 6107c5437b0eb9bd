const TIME =
  '(?<hour>[01]\\d|2[0-3]):?(?<minute>[0-5]\\d)(?::?(?<second>[0-5]\\d)(?:[.,](?<fraction>\\d+))?)?'
const ZONE = '(?:Z|UTC?|GMT|(?<offset>[+-](?:[01]\\d|2[0-3])):?(?<offsetMinute>[0-5]\\d)?)'
/** ISO 8601 and RFC 3339, also in their basic form; RFC 5322, section 3.3. */
const FORMS = [
  new RegExp(`^(?<year>\\d{4})-?(?<month>\\d\\d)-?(?<day>\\d\\d)[T ]${TIME} ?${ZONE}$`, 'i'),
  new RegExp(`^(?:[a-z]{3}, ?)?(?<day>\\d{1,2}) (?<month>[a-z]{3}) (?<year>\\d{4}) ${TIME} ${ZONE}$`, 'i'),
]
const MONTHS = 'jan feb mar apr may jun jul aug sep oct nov dec'.split(' ')

/**
 * Returns a time with a zone in the form that `timestamp` accepts: `2026-11-20 08:00+0200` becomes
 * `2026-11-20T08:00:00+02:00`. Undefined for a date, for a time without a zone, which may be off by 14 hours, and for
 * dates that do not exist.
 */
export const exactTime = (text: string): string | undefined => {
  const parts = FORMS.map(form => form.exec(text.trim())?.groups).find(Boolean)
  if (!parts) return undefined
  const { year, month: named = '', day: date = '', hour, minute, second = '00', fraction } = parts
  const namedAt = MONTHS.indexOf(named.toLowerCase())
  const [month, day] = [namedAt < 0 ? named : `${namedAt + 1}`, date].map(part => part.padStart(2, '0'))
  const on = new Date(0)
  on.setUTCFullYear(Number(year), Number(month) - 1, Number(day))
  if (on.getUTCMonth() !== Number(month) - 1 || on.getUTCDate() !== Number(day)) return undefined
  const zone = parts.offset ? `${parts.offset}:${parts.offsetMinute ?? '00'}` : 'Z'
  return `${year}-${month}-${day}T${hour}:${minute}:${second}${fraction ? `.${fraction}` : ''}${zone}`
}
