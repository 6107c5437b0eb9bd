import { Button, Card, ProgressBar, RelativeTime } from '@iodine/ui'
import { CrossIcon } from '@iodine/ui/icons'
import type { Extraction } from '../model/extractions'
import styles from './NarrativeCard.module.css'

const SAYS = {
  running: 'Extracting narratives…',
  waiting: 'Still working. The narrative appears here when it is done.',
  overdue: 'Nothing came back. Please try this text again.',
}

/** A text under way, in the place of its narrative. */
export function ExtractionCard({ extraction, onDismiss }: { extraction: Extraction; onDismiss: () => void }) {
  const { text, startedAt, phase } = extraction
  return (
    <Card className={styles.card} role="article" aria-label="Narrative being extracted">
      <header className={styles.header}>
        <strong>{SAYS[phase]}</strong>
        <span className={styles.meta}>
          started <RelativeTime value={new Date(startedAt).toISOString()} />
        </span>
        {phase !== 'running' && (
          <Button
            className={styles.delete}
            variant="minimal"
            size="small"
            icon={<CrossIcon />}
            aria-label="Stop waiting for this narrative"
            onClick={onDismiss}
          />
        )}
      </header>
      {phase !== 'overdue' && (
        <div aria-hidden>
          <ProgressBar intent="primary" />
        </div>
      )}
      <p className={styles.text}>{text}</p>
    </Card>
  )
}
