import { Button } from '@iodine/ui'
import { ClipboardIcon } from '@iodine/ui/icons'
import { useAction } from '../action'
import styles from './evidence.module.css'

/** A hash, with a button that copies it. `name` is the button's name for it: 'manifest hash'. */
export function Hash({ value, name }: { value: string; name: string }) {
  const copy = useAction({
    mutationFn: () => navigator.clipboard.writeText(value),
    failed: `Unable to copy the ${name}`,
  })
  return (
    <span className={styles.hash}>
      <code>{value}</code>
      {/* The Clipboard API requires a secure context. */}
      {window.isSecureContext && (
        <Button
          variant="minimal"
          size="small"
          icon={<ClipboardIcon size={14} />}
          text={copy.isSuccess ? 'Copied' : undefined}
          aria-label={copy.isSuccess ? `Copied the ${name}` : `Copy the ${name}`}
          title="Copy"
          onClick={() => void copy.run()}
        />
      )}
    </span>
  )
}
