import {
  type CitableQuote,
  CONFIDENCES,
  type Confidence,
  LIMITS,
  REPORT_TEXT_MAX,
  type ReportDraft,
} from '@iodine/contracts'
import { Button, FormGroup, HTMLSelect, truncate, useDialog } from '@iodine/ui'
import { ArrowDownIcon, ArrowUpIcon, CrossIcon, PlusIcon, TrashIcon } from '@iodine/ui/icons'
import { useId, useMemo, useState } from 'react'
import { CONFIDENCE_LABELS, type Problems } from '../../model/reports'
import { useCitable } from '../../queries/reports'
import { ExhibitsDialog } from './ExhibitsDialog'
import { EditorSection, LongText, replaced } from './fields'
import styles from './reports.module.css'

type Finding = ReportDraft['findings'][number]
const EMPTY: Finding = { text: '', confidence: 'medium', evidence_ids: [] }
/** Displayed characters of a quote. */
const QUOTE_SHOWN = 140

export interface FindingsFieldProps {
  reportId: string
  findings: readonly Finding[]
  problems: Problems
  onChange: (findings: Finding[]) => void
}

/** The findings, each with its confidence and its exhibits. */
export function FindingsField({ reportId, findings, problems, onChange }: FindingsFieldProps) {
  const citable = useCitable(reportId)
  const quotes = useMemo(() => new Map(citable.data?.map(each => [each.id, each])), [citable.data])
  const choosing = useDialog()
  const [at, setAt] = useState(0)
  const swap = (first: number) => {
    const [a, b] = [findings[first], findings[first + 1]]
    if (a && b)
      onChange(findings.map((each, index) => (index === first ? b : index === first + 1 ? a : each)))
  }
  return (
    <EditorSection title="Findings" help="What you know, how sure you are, and the evidence it rests on.">
      <ol className={styles.rows}>
        {findings.map((finding, index) => (
          <li
            // biome-ignore lint/suspicious/noArrayIndexKey: findings have no ids, and their fields no state of their own
            key={index}
            className={styles.row}
          >
            <FindingRow
              finding={finding}
              number={index + 1}
              labelOf={id => (citable.isPending ? '…' : quoteLabel(quotes.get(id)))}
              problem={problems[`findings.${index}`]}
              onChange={next => onChange(replaced(findings, index, next))}
              onChoose={() => {
                setAt(index)
                choosing.open()
              }}
              onUp={index > 0 ? () => swap(index - 1) : undefined}
              onDown={index < findings.length - 1 ? () => swap(index) : undefined}
            />
          </li>
        ))}
      </ol>
      <Button
        icon={<PlusIcon />}
        text="Add finding"
        disabled={findings.length >= LIMITS.reportFindingsMax}
        onClick={() => onChange([...findings, EMPTY])}
      />
      <ExhibitsDialog
        key={choosing.key}
        isOpen={choosing.isOpen}
        query={citable}
        chosen={findings[at]?.evidence_ids ?? []}
        onChoose={evidence_ids =>
          onChange(replaced(findings, at, { ...(findings[at] ?? EMPTY), evidence_ids }))
        }
        onClose={choosing.close}
      />
    </EditorSection>
  )
}

interface FindingRowProps {
  finding: Finding
  number: number
  /** Returns the displayed text of an exhibit. */
  labelOf: (id: string) => string
  problem: string | undefined
  /** Without a finding, it is removed. */
  onChange: (finding?: Finding) => void
  onChoose: () => void
  onUp: (() => void) | undefined
  onDown: (() => void) | undefined
}

function FindingRow({ finding, number, labelOf, problem, onChange, onChoose, ...ways }: FindingRowProps) {
  const { text, confidence, evidence_ids } = finding
  const id = useId()
  const moves = [
    { way: 'up', icon: <ArrowUpIcon />, onClick: ways.onUp },
    { way: 'down', icon: <ArrowDownIcon />, onClick: ways.onDown },
  ]
  return (
    <>
      <LongText
        label={`Finding ${number}`}
        value={text}
        max={REPORT_TEXT_MAX.finding}
        rows={3}
        problem={problem}
        onChange={next => onChange({ ...finding, text: next })}
      />
      <div className={styles.tools}>
        <FormGroup inline className={styles.inline} label="Confidence" labelFor={id}>
          <HTMLSelect
            id={id}
            value={confidence}
            options={CONFIDENCES.map(value => ({ value, label: CONFIDENCE_LABELS[value] }))}
            onChange={event => onChange({ ...finding, confidence: event.currentTarget.value as Confidence })}
          />
        </FormGroup>
        <span className={styles.moves}>
          {moves.map(({ way, icon, onClick }) => (
            <Button
              key={way}
              variant="minimal"
              icon={icon}
              aria-label={`Move finding ${number} ${way}`}
              title={`Move ${way}`}
              disabled={!onClick}
              onClick={onClick}
            />
          ))}
          <Button
            variant="minimal"
            intent="danger"
            icon={<TrashIcon />}
            aria-label={`Remove finding ${number}`}
            title="Remove"
            onClick={() => onChange()}
          />
        </span>
      </div>
      {evidence_ids.length > 0 && (
        <ul className={styles.exhibits} aria-label={`Exhibits of finding ${number}`}>
          {evidence_ids.map(each => {
            const label = labelOf(each)
            return (
              <li key={each} className={styles.exhibit}>
                <span dir="auto">{label}</span>
                <Button
                  variant="minimal"
                  size="small"
                  icon={<CrossIcon />}
                  aria-label={`Remove exhibit: ${label}`}
                  title="Remove"
                  onClick={() =>
                    onChange({ ...finding, evidence_ids: evidence_ids.filter(other => other !== each) })
                  }
                />
              </li>
            )
          })}
        </ul>
      )}
      <Button
        size="small"
        text="Choose exhibits"
        aria-label={`Choose exhibits of finding ${number}`}
        aria-haspopup="dialog"
        onClick={onChoose}
      />
    </>
  )
}

const quoteLabel = (quote: CitableQuote | undefined): string =>
  quote
    ? `“${truncate(quote.exact, QUOTE_SHOWN)}”`
    : 'Evidence that was deleted or is no longer in the campaign'
