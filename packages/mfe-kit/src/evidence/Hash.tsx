import { CopyButton } from '@iodine/ui'
import styles from './evidence.module.css'

/** A hash, with a button that copies it. `name` is the button's name for it: 'manifest hash'. */
export const Hash = ({ value, name }: { value: string; name: string }) => (
  <span className={styles.hash}>
    <code>{value}</code>
    <CopyButton variant="minimal" size="small" value={value} name={`the ${name}`} title="Copy" />
  </span>
)
