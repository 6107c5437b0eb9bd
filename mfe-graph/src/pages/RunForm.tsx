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

/** The form that starts a run. Use a `key` per run and subject, which resets the form. */
export function RunForm({ initial, about, busy, onStart, onFile }: RunFormProps) {
  const id = useId()
  const first = about ?? initial?.about
  const [words, setWords] = useState(wordsOf(first) ?? '')
  const [subject, setSubject] = useState(first && wordsOf(first) === undefined ? first : null)
  const [kinds, setKinds] = useState<readonly ShareKind[]>(initial?.kinds ?? USUAL)
  const [windowS, setWindow] = useState(String(initial?.window_s ?? WINDOW_S))
  // There are few posts about one subject.
  const usualParticipation = about ? '1' : PARTICIPATION
  const [participation, setParticipation] = useState(
    about ? usualParticipation : String(initial?.min_participation ?? PARTICIPATION),
  )
  const [since, setSince] = useState(toUtcInput(initial?.since))
  const [until, setUntil] = useState(toUtcInput(initial?.until))
  const [scope, setScope] = useState<RunParameters['scope']>(initial?.scope ?? 'own')

  const windowFault = faultOf(windowS, LIMITS.coordinationWindowMaxS)
  const participationFault = faultOf(participation, LIMITS.coordinationParticipationMax)
  const canAnalyze = !windowFault && !participationFault
  const preset = PRESETS.findIndex(each => isSame(each.kinds, kinds))
  const changed = [
    preset < 0,
    windowS !== WINDOW_S,
    participation !== usualParticipation,
    since !== '',
    until !== '',
  ].filter(Boolean).length
  const question = (): RunParameters => ({
    kinds: SHARE_KINDS.filter(kind => kinds.includes(kind)),
    window_s: Number(windowS),
    min_participation: Number(participation),
    since: fromUtcInput(since),
    until: fromUtcInput(until),
    scope,
    ...(subject
      ? { about: subject }
      : words.trim() !== '' && {
          about: { name: words.trim().slice(0, LIMITS.runNameMax), values: [words.trim()] },
        }),
  })
  const submit = (event: FormEvent) => {
    event.preventDefault()
    if (canAnalyze && kinds.length > 0) onStart(question())
  }
  return (
    <Card className={styles.card} compact>
      <form onSubmit={submit} noValidate aria-label="New run">
        <div className={styles.fields}>
          <FormGroup label="Accounts that share" labelFor={`${id}-preset`}>
            <HTMLSelect
              id={`${id}-preset`}
              fill
              value={preset}
              onChange={event => setKinds(PRESETS[Number(event.target.value)]?.kinds ?? kinds)}
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
              value={scope}
              options={SCOPES}
              onChange={event => setScope(event.target.value as RunParameters['scope'])}
            />
          </FormGroup>
        </div>
        <FormGroup
          label="About"
          labelFor={`${id}-about`}
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
                onClick={() => setSubject(null)}
              />
            </div>
          ) : (
            <InputGroup
              id={`${id}-about`}
              dir="auto"
              maxLength={LIMITS.fieldMax}
              placeholder="A text, a URL or a hash"
              value={words}
              onValueChange={setWords}
            />
          )}
        </FormGroup>
        <Disclosure label="Advanced" active={changed} forceOpen={!canAnalyze || kinds.length === 0}>
          <fieldset className={styles.kinds}>
            <legend>Compare</legend>
            {SHARE_KINDS.map(kind => (
              <Checkbox
                key={kind}
                inline
                label={KIND_LABELS[kind]}
                checked={kinds.includes(kind)}
                onChange={() => setKinds(toggled(kinds, kind))}
              />
            ))}
          </fieldset>
          <div className={styles.fields}>
            <NumberField
              label="Time window (seconds)"
              help="Maximum time between two shares of the same content"
              fault={windowFault}
              value={windowS}
              onValueChange={setWindow}
            />
            <NumberField
              label="Minimum shares per account"
              help="Leaves out accounts with fewer shares"
              fault={participationFault}
              value={participation}
              onValueChange={setParticipation}
            />
            <UtcTimeField id={`${id}-since`} label="Posted since" value={since} onValueChange={setSince} />
            <UtcTimeField id={`${id}-until`} label="Posted until" value={until} onValueChange={setUntil} />
          </div>
        </Disclosure>
        <div className={styles.actions}>
          <Button
            type="submit"
            intent="primary"
            text="Find co-shares"
            loading={busy}
            disabled={!canAnalyze || kinds.length === 0}
          />
          <FileButton
            icon={<DocumentIcon />}
            text="Open CSV"
            label="CSV of shares"
            accept=".csv,text/csv"
            disabled={busy || !canAnalyze}
            onFiles={([chosen]) => onFile(chosen, question())}
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
