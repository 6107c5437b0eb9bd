const MONTHS = 'Jan Feb Mar Apr May Jun Jul Aug Sep Oct Nov Dec'.split(' ')

const CLOCK = String.raw`(?<hour>\d\d):(?<minute>\d\d):(?<second>\d\d)`
const OFFSET = String.raw`(?<sign>[+-])(?<hours>\d\d):?(?<minutes>\d\d)`
const FORMS = [
  // RFC 3339, also with a space (5.6), and in Python's formats: without a colon in the offset, or without an offset.
  String.raw`(?<year>\d{4})-(?<month>\d\d)-(?<day>\d\d)[Tt ]${CLOCK}(?:[.,](?<fraction>\d{1,12}))?(?:[Zz]|${OFFSET})?`,
  // JavaScript's format: the server of MITRE ATT&CK (attack-workbench-taxii-server#32).
  String.raw`[A-Z][a-z]{2} (?<name>[A-Z][a-z]{2}) (?<day>\d\d) (?<year>\d{4}) ${CLOCK} GMT${OFFSET}(?: \(.*\))?`,
  // An HTTP date.
  String.raw`[A-Z][a-z]{2}, (?<day>\d\d) (?<name>[A-Z][a-z]{2}) (?<year>\d{4}) ${CLOCK} GMT`,
].map(form => new RegExp(`^${form}$`))

/**
 * Normalizes a time of a TAXII server to the standard's format: UTC, with at least microseconds. Keeps all digits of
 * the fraction, so that `added_after` neither skips nor repeats objects.
 * Source: OASIS, TAXII Version 2.1, 1.5 (timestamp).
 * @returns undefined for an invalid time
 */
export const readTaxiiTime = (text: string | undefined): string | undefined => {
  const given = text?.trim() ?? ''
  const found = FORMS.map(form => form.exec(given)?.groups).find(Boolean)
  if (!found) return undefined
  const numberOf = (name: string) => Number(found[name] ?? 0)
  const month = found.name ? MONTHS.indexOf(found.name) : numberOf('month') - 1
  const [day, hour, minute, second] = [
    numberOf('day'),
    numberOf('hour'),
    numberOf('minute'),
    numberOf('second'),
  ]
  const local = new Date(Date.UTC(numberOf('year'), month, day))
  if (local.getUTCMonth() !== month || local.getUTCDate() !== day) return undefined
  if (hour > 23 || minute > 59 || second > 60 || numberOf('hours') > 23 || numberOf('minutes') > 59)
    return undefined
  const offset = (numberOf('hours') * 60 + numberOf('minutes')) * (found.sign === '-' ? -1 : 1)
  const at = new Date(local.getTime() + ((hour * 60 + minute - offset) * 60 + second) * 1_000)
  return `${at.toISOString().slice(0, 19)}.${(found.fraction ?? '').padEnd(6, '0')}Z`
}

/** Returns a time in TAXII's format. */
export const toTaxiiTime = (time: Date): string => time.toISOString().replace('Z', '000Z')

/** Returns whether a result of `readTaxiiTime` is later than another one. */
export const isLaterTaxiiTime = (a: string, b: string | undefined): boolean =>
  b === undefined || a.slice(0, -1) > b.slice(0, -1)
