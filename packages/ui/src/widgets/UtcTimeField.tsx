import { FormGroup, InputGroup } from '@blueprintjs/core'

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
export function UtcTimeField({ id, label, value, onValueChange, error }: UtcTimeFieldProps) {
  return (
    <FormGroup
      label={label}
      labelFor={id}
      labelInfo="(UTC)"
      intent={error ? 'danger' : 'none'}
      helperText={error || (value && `${value.replace('T', ' ')} UTC`)}
    >
      <InputGroup id={id} type="datetime-local" value={value} onValueChange={onValueChange} />
    </FormGroup>
  )
}
