import { LIMITS, SHARED_AS, type SharedAs, type Source } from '@iodine/contracts'
import { Button, formatCount } from '@iodine/ui'
import { SHARING_TEXTS } from '../model/sharing-texts'
import { useShare } from '../queries/sharing'
import styles from './ShareBar.module.css'

export interface ShareBarProps {
  source: Source
  ids: ReadonlySet<string>
  onDone: () => void
}

/** Buttons that share the selected records or stop sharing them. */
export function ShareBar({ source, ids, onDone }: ShareBarProps) {
  const share = useShare(source)
  const tooMany = ids.size > LIMITS.ingestRecordsMax
  const apply = async (as: SharedAs | null) => {
    if (await share.run({ ids: [...ids], as })) onDone()
  }
  const disabled = share.isPending || ids.size === 0 || tooMany
  return (
    <fieldset className={styles.bar} aria-label="Selected records">
      <span aria-live="polite">
        {formatCount(ids.size)} selected
        {tooMany && `, at most ${formatCount(LIMITS.ingestRecordsMax)} at once`}
      </span>
      {SHARED_AS.map(as => (
        <Button
          key={as}
          size="small"
          text={SHARING_TEXTS[as].text}
          title={SHARING_TEXTS[as].help}
          disabled={disabled}
          onClick={() => void apply(as)}
        />
      ))}
      <Button size="small" text="Stop sharing" disabled={disabled} onClick={() => void apply(null)} />
    </fieldset>
  )
}
