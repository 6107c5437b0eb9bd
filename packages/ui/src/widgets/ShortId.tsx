import { CopyButton } from './CopyButton'
import styles from './ShortId.module.css'

const SHOWN = 8

export interface ShortIdProps {
  id: string
  /** The entity of the id, for the button's name: 'record'. */
  of: string
}

/** The first characters of an id, with the whole id in a tooltip and a button that copies it. */
export function ShortId({ id, of }: ShortIdProps) {
  return (
    <span className={styles.id} title={id}>
      <code className={styles.short}>{id.slice(0, SHOWN)}</code>
      <CopyButton
        className={styles.copy ?? ''}
        variant="minimal"
        size="small"
        value={id}
        name={`the ${of}’s ID`}
        title={`Copy ${id}`}
      />
    </span>
  )
}
