import { Checkbox, toggled } from '@iodine/ui'
import { partLabel } from '../../model/import-questions'
import styles from './Preview.module.css'

export interface PartChoiceProps {
  parts: readonly string[]
  value: readonly string[]
  onChange: (parts: string[]) => void
}

/** Asks which lists of a user's own data are read. */
export const PartChoice = ({ parts, value, onChange }: PartChoiceProps) => (
  <fieldset className={styles.group}>
    <legend className={styles.label}>Lists</legend>
    <p className={styles.help}>Messages, searches, logins and the profile are never read.</p>
    {parts.map(part => (
      <Checkbox
        key={part}
        label={partLabel(part)}
        checked={value.includes(part)}
        onChange={() => onChange(toggled([...value], part))}
      />
    ))}
  </fieldset>
)
