import { FormGroup, InputGroup } from '@blueprintjs/core'
import { useId } from 'react'
import { CopyButton } from './CopyButton'
import styles from './CopyField.module.css'

export interface CopyFieldProps {
  label: string
  value: string
  /** Shown below the value. */
  hint?: string
}

/** A read-only value to be pasted elsewhere: a click selects all of it, a button copies it. */
export function CopyField({ label, value, hint }: CopyFieldProps) {
  const id = useId()
  return (
    <FormGroup label={label} labelFor={id} helperText={hint}>
      <div className={styles.row}>
        <InputGroup
          id={id}
          className={styles.value}
          readOnly
          spellCheck={false}
          value={value}
          onFocus={event => event.currentTarget.select()}
        />
        <CopyButton value={value} name={label} text="Copy" />
      </div>
    </FormGroup>
  )
}
