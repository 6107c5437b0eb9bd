import type { SuccessionBasis } from '@iodine/contracts'
import { Tag } from '@iodine/ui'
import { Menu, MenuItem, Popover } from '@iodine/ui/overlays'
import type { ListedTechnique } from '../queries/techniques'
import styles from './Techniques.module.css'

/** Why a technique succeeds another, in a menu. */
const BASES: Record<SuccessionBasis, string> = {
  stated: 'stated by DISARM',
  retagged: 'as DISARM tags the same incident',
  ours: 'our suggestion',
}

export interface ObsoleteTagProps {
  listed: ListedTechnique
  nameOf: (tid: string) => string
  onReplace: (tid: string, successors: readonly string[]) => void
  onRemove: (tid: string) => void
}

/** An obsolete technique as a grey tag, with a menu to replace, keep or remove it. */
export function ObsoleteTag({ listed, nameOf, onReplace, onRemove }: ObsoleteTagProps) {
  const { id, name, until, successors } = listed
  const label = `${id} ${name} · until ${until}`
  const ids = successors?.ids ?? []
  const choices = ids.length > 1 ? [ids, ...ids.map(each => [each])] : ids.map(each => [each])
  return (
    <Popover
      placement="bottom-start"
      content={
        <Menu>
          {choices.map(chosen => (
            <MenuItem
              key={chosen.join()}
              multiline
              text={`Replace with ${chosen.map(each => `${each} ${nameOf(each)}`).join(' and ')}`}
              label={successors && BASES[successors.basis]}
              onClick={() => onReplace(id, chosen)}
            />
          ))}
          {choices.length === 0 && <MenuItem disabled text="DISARM has no successor" />}
          <MenuItem text="Keep" />
          <MenuItem intent="danger" text="Remove" onClick={() => onRemove(id)} />
        </Menu>
      }
    >
      <Tag
        minimal
        multiline
        interactive
        className={`${styles.tag} ${styles.obsolete}`}
        htmlTitle="Not in the latest release of DISARM"
        aria-label={`${label}: choose what to do`}
      >
        <span className={styles.id}>{id}</span> {name} · until {until}
      </Tag>
    </Popover>
  )
}
