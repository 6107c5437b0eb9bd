import { formatDateTime, formatRelative } from '../format'

/** 'an hour ago', with the full date in a tooltip. */
export function RelativeTime({ value }: { value: string }) {
  return (
    <time dateTime={value} title={formatDateTime(value)}>
      {formatRelative(value)}
    </time>
  )
}
