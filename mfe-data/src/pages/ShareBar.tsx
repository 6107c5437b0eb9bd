import { LIMITS, type SharedAs, type Source } from '@iodine/contracts'
import { Button, formatCount } from '@iodine/ui'
import { useShare } from '../queries/sharing'
import styles from './ShareBar.module.css'

export interface ShareBarProps {
  source: Source
  ids: ReadonlySet<string>
  onDone: () => void
}

/** Shares the selected records, or stops it. */
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
      <Button
        size="small"
        text="Share with my username"
        disabled={disabled}
        onClick={() => void apply('username')}
      />
      <Button
        size="small"
        text="Share anonymously"
        disabled={disabled}
        onClick={() => void apply('anonymous')}
      />
      <Button size="small" text="Stop sharing" disabled={disabled} onClick={() => void apply(null)} />
    </fieldset>
  )
}
