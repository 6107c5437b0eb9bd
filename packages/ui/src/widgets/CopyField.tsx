import { Button, FormGroup, InputGroup } from '@blueprintjs/core'
import { ClipboardIcon } from '@blueprintjs/icons'
import { useId, useState } from 'react'
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
  const [copied, setCopied] = useState<string | null>(null)
  const copy = async () => {
    await navigator.clipboard.writeText(value)
    setCopied(value)
  }
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
        {/* The Clipboard API requires a secure context. */}
        {window.isSecureContext && (
          <Button
            icon={<ClipboardIcon />}
            text={copied === value ? 'Copied' : 'Copy'}
            aria-label={`Copy ${label}`}
            onClick={copy}
          />
        )}
      </div>
    </FormGroup>
  )
}
