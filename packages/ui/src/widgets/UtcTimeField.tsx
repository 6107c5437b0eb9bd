import { TextField } from './TextField'

export interface UtcTimeFieldProps {
  id: string
  label: string
  /** `yyyy-mm-ddThh:mm` in UTC, or empty. */
  value: string
  onValueChange: (value: string) => void
  /** Why the value is rejected. */
  error?: string | undefined
}

/**
 * A field for a time in UTC. Browsers write dates in the language of their own interface, so the chosen time is repeated
 * as `2026-10-12 18:30 UTC`.
 */
export function UtcTimeField({ value, error, ...field }: UtcTimeFieldProps) {
  return (
    <TextField
      {...field}
      value={value}
      labelInfo="(UTC)"
      intent={error ? 'danger' : 'none'}
      helperText={error || (value && `${value.replace('T', ' ')} UTC`)}
      type="datetime-local"
    />
  )
}
