import { FormGroup, InputGroup } from '@blueprintjs/core'
import { formatUtcTime } from '../format'

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
 * with the name of its month.
 */
export function UtcTimeField({ id, label, value, onValueChange, error }: UtcTimeFieldProps) {
  return (
    <FormGroup
      label={label}
      labelFor={id}
      labelInfo="(UTC)"
      intent={error ? 'danger' : 'none'}
      helperText={error || formatUtcTime(`${value}Z`)}
    >
      <InputGroup id={id} type="datetime-local" value={value} onValueChange={onValueChange} />
    </FormGroup>
  )
}
