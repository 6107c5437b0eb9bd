import { Button, Callout, Card, formatAmount, formatCount, ProgressBar } from '@iodine/ui'
import { ConfirmButton } from '@iodine/ui/overlays'
import type { ReactNode } from 'react'
import type { ImportSession } from '../../drafts/import-session'
import type { ImportEntry } from '../../model/import-entry'
import { formatBytes } from '../../model/import-texts'
import styles from './ImportFile.module.css'
import { ImportPlan } from './ImportPlan'
import { QuestionForm } from './QuestionForm'

export interface ImportFileProps {
  entry: ImportEntry
  session: ImportSession
}

/** The card of a chosen file: reading, questions, plan, import. */
export function ImportFile({ entry, session }: ImportFileProps) {
  return (
    <Card className={styles.card}>
      <h2 className={styles.title} dir="auto">
        {entry.file_name}
      </h2>
      <p className={styles.meta}>{formatBytes(entry.size)}</p>
      <Content entry={entry} session={session} />
    </Card>
  )
}

function Content({ entry, session }: ImportFileProps) {
  const remove = () => session.remove(entry.id)
  switch (entry.state) {
    case 'reading':
      return (
        <>
          <Progress label="Reading the file" value={entry.fraction} />
          <Actions>
            <Button text="Cancel" onClick={remove} />
          </Actions>
        </>
      )
    case 'failed':
      return (
        <>
          <Callout role="alert" intent="danger" compact>
            {entry.message}
          </Callout>
          <Actions>
            <Button text="Remove" onClick={remove} />
          </Actions>
        </>
      )
    case 'asking':
      return (
        <QuestionForm
          questions={entry.questions}
          onAnswer={answers => session.answer(entry.id, entry.questions, answers)}
          onCancel={remove}
        />
      )
    default:
      return <Prepared entry={entry} session={session} />
  }
}

interface PreparedProps {
  entry: Extract<ImportEntry, { draft: unknown }>
  session: ImportSession
}

/** A file that was read: its plan, or the progress of its import. */
function Prepared({ entry: { id, state, draft, fault }, session }: PreparedProps) {
  const { total, sent } = draft
  const hasBegun = draft.import_id !== undefined || state === 'sending'
  const isSending = state === 'sending'
  return (
    <>
      {hasBegun ? (
        <Progress
          label={isSending ? 'Importing' : 'Paused'}
          value={total > 0 ? sent / total : 1}
          text={`${formatCount(sent)} of ${formatAmount(total, 'record')}`}
        />
      ) : (
        <ImportPlan draft={draft} isComparing={state === 'comparing'} />
      )}
      {fault && (
        <Callout className={styles.fault} role="alert" intent="warning" compact>
          {fault}
        </Callout>
      )}
      {isSending && (
        <p className={styles.meta}>Leaving this page pauses the import. You can resume it later.</p>
      )}
      <Actions>
        {hasBegun ? (
          <ConfirmButton
            button={{ text: 'Cancel' }}
            title="Cancel the import"
            confirmLabel="Cancel import"
            onConfirm={async () => session.remove(id)}
          >
            The rest of the file will not be imported. The {formatAmount(sent, 'record')} that{' '}
            {sent === 1 ? 'is' : 'are'} imported already stay. You can undo them in the list below.
          </ConfirmButton>
        ) : (
          <Button text="Cancel" onClick={() => session.remove(id)} />
        )}
        {isSending ? (
          <Button text="Pause" onClick={() => session.pause(id)} />
        ) : (
          <Button
            intent="primary"
            text={hasBegun ? 'Resume' : `Import ${formatAmount(total, 'record')}`}
            disabled={total === 0}
            loading={state === 'comparing'}
            onClick={() => session.send(draft)}
          />
        )}
      </Actions>
    </>
  )
}

const Actions = ({ children }: { children: ReactNode }) => <div className={styles.actions}>{children}</div>

interface ProgressProps {
  label: string
  /** From 0 to 1. */
  value: number
  text?: string
}

const Progress = ({ label, value, text }: ProgressProps) => (
  <div role="status">
    <ProgressBar value={value} intent="primary" stripes={false} animate={false} aria-label={label} />
    <p className={styles.meta}>
      {label}
      {text && `: ${text}`}
    </p>
  </div>
)
