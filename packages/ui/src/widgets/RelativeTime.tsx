import { formatDateTime, formatRelative } from '../format'

/** 'in 2 days', 'an hour ago', with the full date in its tooltip. */
export function RelativeTime({ value }: { value: string }) {
  return (
    <time dateTime={value} title={formatDateTime(value)}>
      {formatRelative(value)}
    </time>
  )
}
