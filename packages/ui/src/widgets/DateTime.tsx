import { formatDate, formatFrenchRelative, formatRelative } from '../format'

interface DateTimeProps {
  /** ISO 8601. */
  value: string
  /** Formats the date; default `formatDate` ('Nov 22, 2026'). */
  format?: (value: string) => string
  /** Language of the date and its tooltip. */
  lang?: 'en' | 'fr'
}

/** A date, with the relative time ('3 hours ago') in a tooltip. */
export function DateTime({ value, format = formatDate, lang = 'en' }: DateTimeProps) {
  const relative = lang === 'fr' ? formatFrenchRelative : formatRelative
  return (
    <time dateTime={value} lang={lang} title={relative(value)}>
      {format(value)}
    </time>
  )
}
