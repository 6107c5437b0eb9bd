/** Formats a duration: '12 s', '3.5 min', '2 h', '4 days'. */
export function formatSpan(seconds: number): string {
  const shown = (value: number) => String(Math.round(value * 10) / 10)
  const span = Math.abs(seconds)
  if (span < 120) return `${shown(span)} s`
  if (span < 7_200) return `${shown(span / 60)} min`
  return span < 172_800 ? `${shown(span / 3_600)} h` : `${shown(span / 86_400)} days`
}

/** Formats as '2026-03-01 10:00:20 UTC', for times that are compared to the second. */
export const exactTime = (iso: string): string => `${iso.slice(0, 10)} ${iso.slice(11, 19)} UTC`

/** Converts the value of a `datetime-local` input in UTC to ISO 8601; undefined for an empty one. */
export const fromUtcInput = (local: string): string | undefined =>
  local === '' ? undefined : `${local.length === 16 ? `${local}:00` : local}Z`

/** Converts a time to the value of a `datetime-local` input in UTC; omits zero seconds. */
export const toUtcInput = (iso: string | null | undefined): string =>
  iso?.slice(0, 19).replace(/:00$/, '') ?? ''
