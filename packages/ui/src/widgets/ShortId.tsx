import { Button } from '@blueprintjs/core'
import { ClipboardIcon } from '@blueprintjs/icons'
import { useState } from 'react'
import styles from './ShortId.module.css'

const SHOWN = 8

export interface ShortIdProps {
  id: string
  /** The entity of the id, for the button's name: 'record'. */
  of: string
}

/** The first characters of an id, with the whole id in a tooltip and a button that copies it. */
export function ShortId({ id, of }: ShortIdProps) {
  const [result, setResult] = useState<'Copied' | 'Not copied'>()
  const copy = async () => {
    try {
      await navigator.clipboard.writeText(id)
      setResult('Copied')
    } catch {
      setResult('Not copied')
    }
  }
  return (
    <span className={styles.id} title={id}>
      <code className={styles.short}>{id.slice(0, SHOWN)}</code>
      {/* The Clipboard API requires a secure context. */}
      {window.isSecureContext && (
        <Button
          className={styles.copy ?? ''}
          variant="minimal"
          size="small"
          icon={<ClipboardIcon size={12} />}
          text={result}
          aria-label={result ? `${result}: the ${of}’s ID` : `Copy the ${of}’s ID`}
          title={`Copy ${id}`}
          onClick={() => void copy()}
          onBlur={() => setResult(undefined)}
        />
      )}
    </span>
  )
}
