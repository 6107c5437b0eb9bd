import type { OpenNarrative } from '@iodine/contracts'
import { Button, Card, formatDateTime, formatRelative, ProgressBar } from '@iodine/ui'
import { CrossIcon } from '@iodine/ui/icons'
import type { Extraction } from '../model/extractions'
import styles from './NarrativeCard.module.css'

const PHASE_TEXTS = {
  running: 'Extracting narratives…',
  waiting: 'Still working. The narrative appears here when it is done.',
  overdue: 'The extraction returned no result. Please submit the text again.',
}

export interface ExtractionCardProps {
  extraction: Extraction
  /** The server's state of the extraction, once known. */
  open: OpenNarrative | undefined
  onCancel: (id: string) => void
  onDismiss: () => void
}

/** The card of an extraction in progress, in place of its narrative. */
export function ExtractionCard({ extraction, open, onCancel, onDismiss }: ExtractionCardProps) {
  const { text, startedAt, phase } = extraction
  const progress = open?.progress && open.progress.parts > 1 ? open.progress : null
  return (
    <Card className={styles.card} role="article" aria-label="Narrative being extracted">
      <header className={styles.header}>
        <strong>{PHASE_TEXTS[phase]}</strong>
        <span className={styles.meta}>
          started <time title={formatDateTime(startedAt)}>{formatRelative(startedAt)}</time>
          {progress && ` · ${progress.done} of ${progress.parts} parts done`}
        </span>
        {open && phase !== 'overdue' ? (
          <Button
            className={styles.delete}
            variant="minimal"
            size="small"
            text="Cancel"
            onClick={() => onCancel(open.id)}
          />
        ) : (
          phase !== 'running' && (
            <Button
              className={styles.delete}
              variant="minimal"
              size="small"
              icon={<CrossIcon />}
              aria-label="Stop waiting for this narrative"
              onClick={onDismiss}
            />
          )
        )}
      </header>
      {phase !== 'overdue' && (
        <div aria-hidden>
          <ProgressBar intent="primary" {...(progress && { value: progress.done / progress.parts })} />
        </div>
      )}
      <p className={styles.text}>{text}</p>
    </Card>
  )
}
