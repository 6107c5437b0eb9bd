import { REPORT_TEXT_MAX, type ReportDraft } from '@iodine/contracts'
import { Callout } from '@iodine/ui'
import { useEffect, useRef } from 'react'
import type { Problems } from '../../model/reports'
import { FindingsField } from './FindingsField'
import { EditorSection, LongText } from './fields'
import { AttributionField, OverviewFields, PublishingFields, ReferencesField } from './OtherFields'
import styles from './reports.module.css'

export interface ReportEditorProps {
  id: string
  draft: ReportDraft
  /** Whether an earlier version is published. */
  isCorrection: boolean
  /** Why the draft cannot be saved; empty until the author tries. */
  problems: Problems
  onChange: (change: Partial<ReportDraft>) => void
}

/** The fields of a draft. */
export function ReportEditor({ id, draft, isCorrection, problems, onChange }: ReportEditorProps) {
  const form = useRef<HTMLDivElement>(null)
  const hasProblems = Object.keys(problems).length > 0
  useEffect(() => {
    if (hasProblems) form.current?.querySelector<HTMLElement>('[aria-invalid="true"]')?.focus()
  }, [hasProblems])
  const text = (name: 'unknown' | 'method' | 'change') => ({
    value: draft[name],
    max: REPORT_TEXT_MAX[name],
    problem: problems[name],
    onChange: (value: string) => onChange({ [name]: value }),
  })
  const fields = { draft, problems, onChange }
  return (
    <div className={styles.editor} ref={form}>
      {hasProblems && (
        <Callout role="alert" intent="danger" compact>
          The draft cannot be saved: correct the marked fields.
        </Callout>
      )}
      {isCorrection && (
        <EditorSection
          title="Correction"
          help="Shown at the top of the new version. The earlier version stays public and links to this one."
        >
          <LongText
            label="What was wrong, what this version states instead, and since when"
            {...text('change')}
          />
        </EditorSection>
      )}
      <OverviewFields {...fields} />
      <FindingsField
        reportId={id}
        findings={draft.findings}
        problems={problems}
        onChange={findings => onChange({ findings })}
      />
      <EditorSection title="Limits and method">
        <LongText label="What we don’t know" {...text('unknown')} />
        <LongText
          label="Method"
          help="What was collected, by whom, when, and its limits."
          {...text('method')}
        />
      </EditorSection>
      <AttributionField {...fields} />
      <ReferencesField {...fields} />
      <PublishingFields {...fields} />
    </div>
  )
}
