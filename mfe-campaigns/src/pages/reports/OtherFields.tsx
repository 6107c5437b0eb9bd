import {
  ATTRIBUTION_SIDES,
  REPORT_LANGUAGES,
  REPORT_LICENCES,
  REPORT_REFERENCES_MAX,
  REPORT_TEXT_MAX,
  type ReportDraft,
  type ReportLanguage,
  type ReportLicence,
} from '@iodine/contracts'
import { Button, FormGroup, HTMLSelect, Switch, TextArea, TextField } from '@iodine/ui'
import { PlusIcon, TrashIcon } from '@iodine/ui/icons'
import { useId } from 'react'
import { LANGUAGE_LABELS, LICENCE_LABELS, type Problems } from '../../model/reports'
import { EditorSection, LongText, replaced } from './fields'
import styles from './reports.module.css'

interface FieldsProps {
  draft: ReportDraft
  problems: Problems
  onChange: (change: Partial<ReportDraft>) => void
}

const intentOf = (problem: string | undefined) => (problem ? ('danger' as const) : ('none' as const))
const faultProps = (problem: string | undefined) => ({
  intent: intentOf(problem),
  helperText: problem,
  'aria-invalid': problem ? true : undefined,
})

/** Title, other names and summary. */
export function OverviewFields({ draft, problems, onChange }: FieldsProps) {
  const id = useId()
  return (
    <EditorSection title="Overview">
      <TextField
        groupClass={styles.field ?? ''}
        label="Title"
        labelInfo="(required)"
        dir="auto"
        value={draft.title}
        onValueChange={title => onChange({ title })}
        {...faultProps(problems.title)}
      />
      <FormGroup
        className={styles.field}
        label="Other names"
        labelFor={id}
        labelInfo="(optional)"
        intent={intentOf(problems.aliases)}
        helperText={problems.aliases ?? 'Other names of the campaign, one per line.'}
      >
        <TextArea
          id={id}
          fill
          rows={2}
          dir="auto"
          value={draft.aliases.join('\n')}
          onChange={event =>
            onChange({ aliases: event.target.value === '' ? [] : event.target.value.split('\n') })
          }
        />
      </FormGroup>
      <LongText
        label="Summary"
        value={draft.summary}
        max={REPORT_TEXT_MAX.summary}
        problem={problems.summary}
        onChange={summary => onChange({ summary })}
      />
    </EditorSection>
  )
}

type Side = NonNullable<ReportDraft['attribution']>['by']
const SIDE_LABELS: Record<Side, string> = {
  others: 'By the cited sources',
  ours: 'By the authors of this report',
}

/** Who is behind the campaign, and on which grounds. */
export function AttributionField({ draft: { attribution }, problems, onChange }: FieldsProps) {
  const id = useId()
  const set = (change: object) =>
    onChange({ attribution: { by: 'others', text: '', grounds: '', ...attribution, ...change } })
  return (
    <EditorSection
      title="Attribution"
      help="Who is behind the campaign. The reviewer must accept an attribution of your own."
    >
      <FormGroup className={styles.field} label="Attributed" labelFor={id}>
        <HTMLSelect
          id={id}
          value={attribution?.by ?? ''}
          onChange={({ currentTarget: { value } }) =>
            value === '' ? onChange({ attribution: null }) : set({ by: value })
          }
        >
          <option value="">Not attributed</option>
          {ATTRIBUTION_SIDES.map(side => (
            <option key={side} value={side}>
              {SIDE_LABELS[side]}
            </option>
          ))}
        </HTMLSelect>
      </FormGroup>
      {attribution && (
        <>
          <LongText
            label="To whom"
            value={attribution.text}
            max={REPORT_TEXT_MAX.attribution}
            rows={2}
            problem={problems['attribution.text']}
            onChange={text => set({ text })}
          />
          <LongText
            label="Grounds"
            value={attribution.grounds}
            max={REPORT_TEXT_MAX.grounds}
            problem={problems['attribution.grounds']}
            onChange={grounds => set({ grounds })}
          />
        </>
      )}
    </EditorSection>
  )
}

/** The cited sources. */
export function ReferencesField({ draft: { references }, problems, onChange }: FieldsProps) {
  const set = (next: ReportDraft['references']) => onChange({ references: next })
  return (
    <EditorSection title="References" help="Sources that the report cites, linked on its page.">
      <ol className={styles.rows}>
        {references.map((reference, at) => (
          <li
            // biome-ignore lint/suspicious/noArrayIndexKey: references have no ids, and their fields no state of their own
            key={at}
            className={styles.reference}
          >
            <TextField
              groupClass={`${styles.field} ${styles.grow}`}
              label={`Title of reference ${at + 1}`}
              dir="auto"
              value={reference.title}
              onValueChange={title => set(replaced(references, at, { ...reference, title }))}
              {...faultProps(problems[`references.${at}.title`])}
            />
            <TextField
              groupClass={`${styles.field} ${styles.grow}`}
              label={`URL of reference ${at + 1}`}
              type="url"
              placeholder="https://…"
              value={reference.url}
              onValueChange={url => set(replaced(references, at, { ...reference, url }))}
              {...faultProps(problems[`references.${at}.url`])}
            />
            <Button
              className={styles.removal ?? ''}
              variant="minimal"
              intent="danger"
              icon={<TrashIcon />}
              aria-label={`Remove reference ${at + 1}`}
              title="Remove"
              onClick={() => set(replaced(references, at))}
            />
          </li>
        ))}
      </ol>
      <Button
        icon={<PlusIcon />}
        text="Add reference"
        disabled={references.length >= REPORT_REFERENCES_MAX}
        onClick={() => set([...references, { title: '', url: '' }])}
      />
    </EditorSection>
  )
}

/** Language, licence, DOI, and what the page shows. */
export function PublishingFields({ draft, problems, onChange }: FieldsProps) {
  const id = useId()
  return (
    <EditorSection title="Publishing">
      <div className={styles.options}>
        <FormGroup className={styles.field} label="Language of the page" labelFor={`${id}-language`}>
          <HTMLSelect
            id={`${id}-language`}
            value={draft.language}
            options={REPORT_LANGUAGES.map(value => ({ value, label: LANGUAGE_LABELS[value] }))}
            onChange={event => onChange({ language: event.currentTarget.value as ReportLanguage })}
          />
        </FormGroup>
        <FormGroup className={styles.field} label="Licence of text and data" labelFor={`${id}-licence`}>
          <HTMLSelect
            id={`${id}-licence`}
            value={draft.licence}
            options={REPORT_LICENCES.map(value => ({ value, label: LICENCE_LABELS[value] }))}
            onChange={event => onChange({ licence: event.currentTarget.value as ReportLicence })}
          />
        </FormGroup>
        <TextField
          groupClass={styles.field ?? ''}
          label="DOI"
          labelInfo="(optional)"
          placeholder="10.5281/zenodo.1234"
          value={draft.doi ?? ''}
          onValueChange={doi => onChange({ doi: doi === '' ? null : doi })}
          {...faultProps(problems.doi)}
        />
      </div>
      <Switch
        checked={draft.signed}
        label="Show my username as the author (otherwise: the research team)"
        onChange={event => onChange({ signed: event.currentTarget.checked })}
      />
      <Switch
        checked={draft.listed}
        label="List the report at /reports and let search engines find it"
        onChange={event => onChange({ listed: event.currentTarget.checked })}
      />
    </EditorSection>
  )
}
