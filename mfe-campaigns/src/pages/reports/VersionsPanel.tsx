import { REPORT_TEXT_MAX, type ReportDetail, type ReportVersion } from '@iodine/contracts'
import { Card, DateTime, formatDateTime, Tag, TextField } from '@iodine/ui'
import { DialogButton, DialogForm } from '@iodine/ui/overlays'
import { type Column, Table } from '@iodine/ui/table'
import { useState } from 'react'
import { lengthOf, pagePath, VERSION_LABELS } from '../../model/reports'
import { useReviewerActions } from '../../queries/reports'
import { LongText } from './fields'
import { ReasonForm } from './ReasonForm'
import styles from './reports.module.css'

const CARD = '"version state" "change change" "at at" "actions actions" / 1fr auto'
const ERASABLE: readonly string[] = ['published', 'superseded', 'withdrawn']
const READABLE: readonly string[] = ['published', 'superseded']

/** The versions of a report, and the replies that its page shows. */
export function VersionsPanel({ report, isAdmin }: { report: ReportDetail; isAdmin: boolean }) {
  const { erase } = useReviewerActions(report.id)
  const columns = columnsFor(report, isAdmin ? (n, law) => erase.run({ n, law }) : undefined)
  return (
    <div className={styles.stack}>
      {report.versions.length === 0 ? (
        <p className={styles.note}>No version yet: the first one is made when the report is handed in.</p>
      ) : (
        <Table
          items={report.versions.map(each => ({ ...each, id: String(each.n) }))}
          label="Versions"
          columns={columns}
          minWidth={640}
          cardTemplate={CARD}
        />
      )}
      {report.latest !== null && <Replies report={report} isAdmin={isAdmin} />}
    </div>
  )
}

type Row = ReportVersion & { id: string }

const columnsFor = (
  report: ReportDetail,
  onErase: ((n: number, law: string) => Promise<boolean>) | undefined,
): readonly Column<Row>[] => [
  {
    name: 'Version',
    width: 112,
    area: 'version',
    cell: ({ n, state }) =>
      READABLE.includes(state) ? (
        <a href={pagePath(report, n)} target="_blank" rel="noopener">
          Version {n}
        </a>
      ) : (
        `Version ${n}`
      ),
  },
  {
    name: 'State',
    width: 128,
    area: 'state',
    cell: ({ state }) => <Tag minimal>{VERSION_LABELS[state]}</Tag>,
  },
  {
    name: 'Correction',
    area: 'change',
    cell: ({ change, n }) => (
      <span className={styles.value} dir="auto">
        {change || (n === 1 ? 'First version' : '—')}
      </span>
    ),
  },
  {
    name: 'Published',
    width: 200,
    area: 'at',
    isNamed: true,
    cell: ({ published_at }) =>
      published_at ? <DateTime value={published_at} format={formatDateTime} /> : 'Not yet',
  },
  ...(onErase
    ? [
        {
          name: 'Actions',
          width: 112,
          area: 'actions',
          cell: ({ n, state }: Row) =>
            ERASABLE.includes(state) && (
              <DialogButton
                button={{
                  text: 'Erase',
                  intent: 'danger',
                  variant: 'minimal',
                  'aria-label': `Erase version ${n}`,
                }}
                title={`Erase version ${n}`}
              >
                {close => (
                  <ReasonForm
                    label="Law or order"
                    help="Kept for the record. The page states only that the version was erased for legal reasons."
                    submitLabel="Erase"
                    max={REPORT_TEXT_MAX.law}
                    onSubmit={law => onErase(n, law)}
                    onClose={close}
                  >
                    <p>
                      The page, the files and the data of this version are deleted. This cannot be undone.
                    </p>
                  </ReasonForm>
                )}
              </DialogButton>
            ),
        },
      ]
    : []),
]

function Replies({ report, isAdmin }: { report: ReportDetail; isAdmin: boolean }) {
  const { reply } = useReviewerActions(report.id)
  return (
    <Card className={styles.card} role="region" aria-label="Replies">
      <h2 className={styles.heading}>Replies</h2>
      <p className={styles.note}>
        Words of people or bodies that the report names. Its page shows them, dated and unchanged.
      </p>
      {report.replies.map(({ id, from, text, at }) => (
        <blockquote key={id} className={styles.reply}>
          <p dir="auto">
            <strong>{from}</strong>, <DateTime value={at} />
          </p>
          <p className={styles.value} dir="auto">
            {text}
          </p>
        </blockquote>
      ))}
      {isAdmin ? (
        <DialogButton button={{ text: 'Add reply' }} title="Add a reply">
          {close => <ReplyForm onReply={reply.run} onClose={close} />}
        </DialogButton>
      ) : (
        report.replies.length === 0 && <p className={styles.note}>No replies yet.</p>
      )}
    </Card>
  )
}

interface ReplyFormProps {
  onReply: (reply: { from: string; text: string }) => Promise<boolean>
  onClose: () => void
}

function ReplyForm({ onReply, onClose }: ReplyFormProps) {
  const [from, setFrom] = useState('')
  const [text, setText] = useState('')
  const isTooLong = lengthOf(text) > REPORT_TEXT_MAX.reply || lengthOf(from) > REPORT_TEXT_MAX.replyFrom
  return (
    <DialogForm
      submitLabel="Show reply"
      canSubmit={from.trim() !== '' && text.trim() !== '' && !isTooLong}
      onSubmit={() => onReply({ from, text })}
      onClose={onClose}
    >
      <TextField label="From" labelInfo="(person or body)" dir="auto" value={from} onValueChange={setFrom} />
      <LongText label="Reply" value={text} max={REPORT_TEXT_MAX.reply} rows={6} onChange={setText} />
    </DialogForm>
  )
}
