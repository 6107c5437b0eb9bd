import { Button } from '@iodine/ui'
import { ClipboardIcon } from '@iodine/ui/icons'
import { useState } from 'react'
import { errorToast } from '../error-toast'
import { useHost } from '../use-host'
import styles from './evidence.module.css'

/** A hash, with a button that copies it. `name` says what it is of: 'manifest hash'. */
export function Hash({ value, name }: { value: string; name: string }) {
  const { notify } = useHost()
  const [isCopied, setCopied] = useState(false)
  const copy = async () => {
    try {
      await navigator.clipboard.writeText(value)
      setCopied(true)
    } catch (error) {
      notify(errorToast(error, `The ${name} could not be copied`))
    }
  }
  return (
    <span className={styles.hash}>
      <code>{value}</code>
      {/* The Clipboard API requires a secure context. */}
      {window.isSecureContext && (
        <Button
          variant="minimal"
          size="small"
          icon={<ClipboardIcon size={14} />}
          text={isCopied ? 'Copied' : undefined}
          aria-label={isCopied ? `Copied the ${name}` : `Copy the ${name}`}
          title="Copy"
          onClick={() => void copy()}
        />
      )}
    </span>
  )
}
