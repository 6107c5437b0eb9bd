import { isHttpUrl } from '@iodine/contracts'
import { AnchorButton } from '@iodine/ui'
import { ShareIcon } from '@iodine/ui/icons'
import type { Field, FieldValue } from '../model/record-fields'
import styles from './FieldRow.module.css'
import { FieldText } from './FieldText'
import { IodMark } from './IodMark'

/** A field of a record: its label and its values, each with the badge of its IOD or a button to create one. */
export function FieldRow({ field, group }: { field: Field; group: string }) {
  const { path, label, kind, values } = field
  const name = nameOf(group, label)
  return (
    <div className={kind === 'number' ? styles.tile : styles.row}>
      <dt className={styles.label}>{label}</dt>
      {values.length === 0 && <dd className={styles.none}>—</dd>}
      {values.length > 0 && kind === 'list' && (
        <dd className={styles.chips}>
          {values.map((value, index) => (
            // biome-ignore lint/suspicious/noArrayIndexKey: a list may hold a text twice, and its order never changes
            <span key={index} className={styles.chip}>
              <FieldText path={path} label={name} value={value}>
                <IodMark path={path} label={`${name}: ${value.text}`} value={value} />
              </FieldText>
            </span>
          ))}
        </dd>
      )}
      {values[0] && kind !== 'list' && (
        <dd className={styles.value}>
          <ValueWithActions path={path} label={name} value={values[0]} isUrl={kind === 'url'} />
        </dd>
      )}
    </div>
  )
}

/** Returns the name of a field: its group and label, unless the label begins with the group ('Video ID'). */
const nameOf = (group: string, label: string) => (label.startsWith(`${group} `) ? label : `${group} ${label}`)

interface ValueProps {
  path: string
  label: string
  value: FieldValue
  isUrl?: boolean
}

/** A value's text, as a link if it is a URL, with the badge of its IOD or a button to create one. */
export function ValueWithActions({ path, label, value, isUrl = false }: ValueProps) {
  return (
    <FieldText path={path} label={label} value={value}>
      <span className={styles.actions}>
        {isUrl && isHttpUrl(value.text) && (
          <AnchorButton
            variant="minimal"
            size="small"
            icon={<ShareIcon size={14} />}
            href={value.text}
            target="_blank"
            rel="noopener noreferrer"
            aria-label={`Open ${label} in new tab`}
            title="Open in new tab"
          />
        )}
        <IodMark path={path} label={label} value={value} />
      </span>
    </FieldText>
  )
}
