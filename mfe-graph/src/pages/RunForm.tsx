import {
  type CoordinationRun,
  LIMITS,
  type RunParameters,
  type RunSubject,
  SHARE_KINDS,
  type ShareKind,
} from '@iodine/contracts'
import { fromUtcInput, toUtcInput } from '@iodine/mfe-kit'
import {
  Button,
  Card,
  Checkbox,
  Disclosure,
  FileButton,
  FormGroup,
  HTMLSelect,
  InputGroup,
  Tag,
  TextField,
  toggled,
  UtcTimeField,
} from '@iodine/ui'
import { CrossIcon, DocumentIcon } from '@iodine/ui/icons'
import { type FormEvent, useId, useState } from 'react'
import styles from './RunForm.module.css'

export const KIND_LABELS: Record<ShareKind, string> = {
  link: 'Links',
  text: 'Same text',
  near: 'Nearly the same text',
  media: 'Pictures and videos',
  hashtag: 'Hashtags',
}
const USUAL: readonly ShareKind[] = ['link', 'near', 'media']
const PRESETS: readonly { label: string; kinds: readonly ShareKind[] }[] = [
  { label: 'Links, similar texts, pictures and videos', kinds: USUAL },
  ...SHARE_KINDS.map(kind => ({ label: KIND_LABELS[kind], kinds: [kind] })),
]
const SCOPES = [
  { value: 'own', label: 'My own' },
  { value: 'shared', label: 'My own and shared ones' },
]
const WINDOW_S = '60'
const PARTICIPATION = '2'

const isSame = (a: readonly ShareKind[], b: readonly ShareKind[]): boolean =>
  a.length === b.length && a.every(kind => b.includes(kind))

export interface RunFormProps {
  /** The run whose parameters initialize the form. */
  initial: CoordinationRun | undefined
  /** The subject passed by another section; it replaces the run's subject. */
  about: RunSubject | undefined
  busy: boolean
  onStart: (question: RunParameters) => void
  /** Called with a CSV file and the form's parameters. */
  onFile: (file: File, question: RunParameters) => void
}

/** Returns why a text is no whole number from 1 to `max`; '' if it is one. */
const faultOf = (text: string, max: number): string =>
  /^\d+$/.test(text) && Number(text) >= 1 && Number(text) <= max
    ? ''
    : `A whole number from 1 to ${max.toLocaleString('en')}`

/** Returns the text of a run about one value that is named after this value. */
const wordsOf = (about: RunSubject | null | undefined): string | undefined =>
  about?.values?.length === 1 && about.name === about.values[0]?.slice(0, LIMITS.runNameMax)
    ? about.values[0]
    : undefined

interface Fields {
  /** Text that the run is about; replaced by `subject`. */
  words: string
  subject: RunSubject | null
  kinds: readonly ShareKind[]
  windowS: string
  participation: string
  since: string
  until: string
  scope: RunParameters['scope']
}

const initialFields = ({ initial, about }: Pick<RunFormProps, 'initial' | 'about'>): Fields => {
  const first = about ?? initial?.about
  const words = wordsOf(first)
  return {
    words: words ?? '',
    subject: first && words === undefined ? first : null,
    kinds: initial?.kinds ?? USUAL,
    windowS: String(initial?.window_s ?? WINDOW_S),
    participation: about ? usualParticipation(about) : String(initial?.min_participation ?? PARTICIPATION),
    since: toUtcInput(initial?.since),
    until: toUtcInput(initial?.until),
    scope: initial?.scope ?? 'own',
  }
}

/** Returns the usual minimum of shares: there are few posts about one subject. */
const usualParticipation = (about: RunSubject | undefined): string => (about ? '1' : PARTICIPATION)

const presetOf = ({ kinds }: Fields): number => PRESETS.findIndex(each => isSame(each.kinds, kinds))

const questionOf = ({ words, subject, ...fields }: Fields): RunParameters => ({
  kinds: SHARE_KINDS.filter(kind => fields.kinds.includes(kind)),
  window_s: Number(fields.windowS),
  min_participation: Number(fields.participation),
  since: fromUtcInput(fields.since),
  until: fromUtcInput(fields.until),
  scope: fields.scope,
  ...(subject
    ? { about: subject }
    : words.trim() !== '' && {
        about: { name: words.trim().slice(0, LIMITS.runNameMax), values: [words.trim()] },
      }),
})

/** The form that starts a run. Use a `key` per run and subject, which resets the form. */
export function RunForm({ initial, about, busy, onStart, onFile }: RunFormProps) {
  const [fields, setFields] = useState(() => initialFields({ initial, about }))
  const set = (change: Partial<Fields>) => setFields(now => ({ ...now, ...change }))
  const faults = {
    windowS: faultOf(fields.windowS, LIMITS.coordinationWindowMaxS),
    participation: faultOf(fields.participation, LIMITS.coordinationParticipationMax),
  }
  const isValid = !faults.windowS && !faults.participation
  const canStart = isValid && fields.kinds.length > 0
  const changed = [
    presetOf(fields) < 0,
    fields.windowS !== WINDOW_S,
    fields.participation !== usualParticipation(about),
    fields.since !== '',
    fields.until !== '',
  ].filter(Boolean).length
  const submit = (event: FormEvent) => {
    event.preventDefault()
    if (canStart) onStart(questionOf(fields))
  }
  return (
    <Card className={styles.card} compact>
      <form onSubmit={submit} noValidate aria-label="New run">
        <MainFields fields={fields} set={set} />
        <AboutField fields={fields} set={set} />
        <Disclosure label="Advanced" active={changed} forceOpen={!canStart}>
          <AdvancedFields fields={fields} faults={faults} set={set} />
        </Disclosure>
        <div className={styles.actions}>
          <Button type="submit" intent="primary" text="Find co-shares" loading={busy} disabled={!canStart} />
          <FileButton
            icon={<DocumentIcon />}
            text="Open CSV"
            label="CSV of shares"
            accept=".csv,text/csv"
            disabled={busy || !isValid}
            onFiles={([chosen]) => onFile(chosen, questionOf(fields))}
          />
          <span className={styles.hint}>
            A CSV needs the columns object_id, account_id, content_id and timestamp_share. It stays in this
            browser.
          </span>
        </div>
      </form>
    </Card>
  )
}

interface FieldsProps {
  fields: Fields
  set: (change: Partial<Fields>) => void
}

function MainFields({ fields, set }: FieldsProps) {
  const id = useId()
  const preset = presetOf(fields)
  return (
    <div className={styles.fields}>
      <FormGroup label="Accounts that share" labelFor={`${id}-preset`}>
        <HTMLSelect
          id={`${id}-preset`}
          fill
          value={preset}
          onChange={event => set({ kinds: PRESETS[Number(event.target.value)]?.kinds ?? fields.kinds })}
        >
          {preset < 0 && <option value={-1}>Custom</option>}
          {PRESETS.map(({ label }, n) => (
            <option key={label} value={n}>
              {label}
            </option>
          ))}
        </HTMLSelect>
      </FormGroup>
      <FormGroup label="Records" labelFor={`${id}-scope`}>
        <HTMLSelect
          id={`${id}-scope`}
          fill
          value={fields.scope}
          options={SCOPES}
          onChange={event => set({ scope: event.target.value as RunParameters['scope'] })}
        />
      </FormGroup>
    </div>
  )
}

function AboutField({ fields: { subject, words }, set }: FieldsProps) {
  const id = useId()
  return (
    <FormGroup
      label="About"
      labelFor={id}
      labelInfo="(optional)"
      helperText="Compares only the copies, quotes and rewordings that Origins finds"
    >
      {subject ? (
        <div className={styles.subject}>
          <Tag minimal size="large" multiline>
            <bdi>{subject.name}</bdi>
          </Tag>
          <Button
            variant="minimal"
            icon={<CrossIcon />}
            aria-label="Compare all posts"
            title="Compare all posts"
            onClick={() => set({ subject: null })}
          />
        </div>
      ) : (
        <InputGroup
          id={id}
          dir="auto"
          maxLength={LIMITS.fieldMax}
          placeholder="A text, a URL or a hash"
          value={words}
          onValueChange={value => set({ words: value })}
        />
      )}
    </FormGroup>
  )
}

interface AdvancedFieldsProps extends FieldsProps {
  /** Errors by field; '' if the value is valid. */
  faults: Record<'windowS' | 'participation', string>
}

function AdvancedFields({ fields, faults, set }: AdvancedFieldsProps) {
  const id = useId()
  return (
    <>
      <fieldset className={styles.kinds}>
        <legend>Compare</legend>
        {SHARE_KINDS.map(kind => (
          <Checkbox
            key={kind}
            inline
            label={KIND_LABELS[kind]}
            checked={fields.kinds.includes(kind)}
            onChange={() => set({ kinds: toggled(fields.kinds, kind) })}
          />
        ))}
      </fieldset>
      <div className={styles.fields}>
        <NumberField
          label="Time window (seconds)"
          help="Maximum time between two shares of the same content"
          fault={faults.windowS}
          value={fields.windowS}
          onValueChange={windowS => set({ windowS })}
        />
        <NumberField
          label="Minimum shares per account"
          help="Leaves out accounts with fewer shares"
          fault={faults.participation}
          value={fields.participation}
          onValueChange={participation => set({ participation })}
        />
        <UtcTimeField
          id={`${id}-since`}
          label="Posted since"
          value={fields.since}
          onValueChange={since => set({ since })}
        />
        <UtcTimeField
          id={`${id}-until`}
          label="Posted until"
          value={fields.until}
          onValueChange={until => set({ until })}
        />
      </div>
    </>
  )
}

interface NumberFieldProps {
  label: string
  help: string
  /** Replaces the help text; '' if the value is valid. */
  fault: string
  value: string
  onValueChange: (value: string) => void
}

const NumberField = ({ help, fault, ...input }: NumberFieldProps) => (
  <TextField inputMode="numeric" helperText={fault || help} intent={fault ? 'danger' : 'none'} {...input} />
)
