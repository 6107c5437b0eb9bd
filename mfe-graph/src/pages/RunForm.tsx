import {
  type CoordinationRun,
  LIMITS,
  type RunAbout,
  type RunQuestion,
  SHARE_KINDS,
  type ShareKind,
} from '@iodine/contracts'
import { fromUtcInput, toUtcInput } from '@iodine/mfe-kit'
import { Button, Card, Checkbox, FormGroup, HTMLSelect, InputGroup, Tag } from '@iodine/ui'
import { CrossIcon, DocumentIcon } from '@iodine/ui/icons'
import { type FormEvent, useId, useRef, useState } from 'react'
import styles from './RunForm.module.css'

export const KIND_LABELS: Record<ShareKind, string> = {
  link: 'Links',
  text: 'Same text',
  near: 'Nearly the same text',
  media: 'Pictures and videos',
  hashtag: 'Hashtags',
}
const USUAL: readonly ShareKind[] = ['link', 'near', 'media']

export interface RunFormProps {
  /** The run whose question the form has at first. */
  asked: CoordinationRun | undefined
  /** What another section asks about, in place of the run's. */
  about: RunAbout | undefined
  busy: boolean
  onStart: (question: RunQuestion) => void
  /** Called with a CSV, and the form's time and participation. */
  onFile: (file: File, question: RunQuestion) => void
}

const isWhole = (text: string, max: number) => /^\d+$/.test(text) && Number(text) >= 1 && Number(text) <= max
/** The words of a run about one value that is called by itself. */
const wordsOf = (about: RunAbout | null | undefined): string | undefined =>
  about?.values?.length === 1 && about.name === about.values[0]?.slice(0, LIMITS.runNameMax)
    ? about.values[0]
    : undefined

/** What a run looks for. Of another run or subject it is another form: it has a key. */
export function RunForm({ asked, about, busy, onStart, onFile }: RunFormProps) {
  const id = useId()
  const input = useRef<HTMLInputElement>(null)
  const first = about ?? asked?.about
  const [words, setWords] = useState(wordsOf(first) ?? '')
  const [subject, setSubject] = useState(first && wordsOf(first) === undefined ? first : null)
  const [kinds, setKinds] = useState<readonly ShareKind[]>(asked?.kinds ?? USUAL)
  const [windowS, setWindow] = useState(String(asked?.window_s ?? 60))
  const [participation, setParticipation] = useState(
    // Posts about one thing are few.
    about ? '1' : String(asked?.min_participation ?? 2),
  )
  const [since, setSince] = useState(toUtcInput(asked?.since))
  const [until, setUntil] = useState(toUtcInput(asked?.until))
  const [scope, setScope] = useState<RunQuestion['scope']>(asked?.scope ?? 'own')

  const faults = {
    window: isWhole(windowS, LIMITS.coordinationWindowMaxS)
      ? ''
      : `A whole number from 1 to ${LIMITS.coordinationWindowMaxS.toLocaleString('en')}`,
    participation: isWhole(participation, LIMITS.coordinationParticipationMax)
      ? ''
      : `A whole number from 1 to ${LIMITS.coordinationParticipationMax.toLocaleString('en')}`,
  }
  const canAnalyze = !faults.window && !faults.participation
  const question = (): RunQuestion => ({
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
        <FormGroup
          label="About"
          labelFor={`${id}-about`}
          labelInfo="(optional)"
          helperText="Only posts that Origins finds for it: copies, quotes and rewordings"
        >
          {subject ? (
            <div className={styles.subject}>
              <Tag minimal size="large" multiline>
                <bdi>{subject.name}</bdi>
              </Tag>
              <Button
                variant="minimal"
                icon={<CrossIcon />}
                aria-label="About everything"
                title="About everything"
                onClick={() => setSubject(null)}
              />
            </div>
          ) : (
            <InputGroup
              id={`${id}-about`}
              dir="auto"
              maxLength={LIMITS.fieldMax}
              placeholder="A claim, a value or an address"
              value={words}
              onValueChange={setWords}
            />
          )}
        </FormGroup>
        <fieldset className={styles.kinds}>
          <legend>What they share</legend>
          {SHARE_KINDS.map(kind => (
            <Checkbox
              key={kind}
              inline
              label={KIND_LABELS[kind]}
              checked={kinds.includes(kind)}
              onChange={event =>
                setKinds(
                  event.currentTarget.checked ? [...kinds, kind] : kinds.filter(other => other !== kind),
                )
              }
            />
          ))}
        </fieldset>
        <div className={styles.fields}>
          <FormGroup
            label="Within seconds"
            labelFor={`${id}-window`}
            helperText={faults.window}
            intent={faults.window ? 'danger' : 'none'}
          >
            <InputGroup
              id={`${id}-window`}
              inputMode="numeric"
              value={windowS}
              intent={faults.window ? 'danger' : 'none'}
              onValueChange={setWindow}
            />
          </FormGroup>
          <FormGroup
            label="Least shares an account"
            labelFor={`${id}-participation`}
            helperText={faults.participation}
            intent={faults.participation ? 'danger' : 'none'}
          >
            <InputGroup
              id={`${id}-participation`}
              inputMode="numeric"
              value={participation}
              intent={faults.participation ? 'danger' : 'none'}
              onValueChange={setParticipation}
            />
          </FormGroup>
          <FormGroup label="Posted since" labelFor={`${id}-since`} labelInfo="(UTC)">
            <InputGroup id={`${id}-since`} type="datetime-local" value={since} onValueChange={setSince} />
          </FormGroup>
          <FormGroup label="Posted until" labelFor={`${id}-until`} labelInfo="(UTC)">
            <InputGroup id={`${id}-until`} type="datetime-local" value={until} onValueChange={setUntil} />
          </FormGroup>
          <FormGroup label="Records" labelFor={`${id}-scope`}>
            <HTMLSelect
              id={`${id}-scope`}
              fill
              value={scope}
              onChange={event => setScope(event.target.value as RunQuestion['scope'])}
            >
              <option value="own">My own</option>
              <option value="shared">My own and shared ones</option>
            </HTMLSelect>
          </FormGroup>
        </div>
        <div className={styles.actions}>
          <Button
            type="submit"
            intent="primary"
            text="Find co-shares"
            loading={busy}
            disabled={!canAnalyze || kinds.length === 0}
          />
          <input
            ref={input}
            hidden
            type="file"
            accept=".csv,text/csv"
            data-testid="shares-file"
            onChange={event => {
              const chosen = event.target.files?.[0]
              if (chosen) onFile(chosen, question())
              // Without this, choosing the same file again fires no event.
              event.target.value = ''
            }}
          />
          <Button
            icon={<DocumentIcon />}
            text="Open CSV"
            disabled={busy || !canAnalyze}
            onClick={() => input.current?.click()}
          />
          <span className={styles.hint}>
            A CSV needs object_id, account_id, content_id and timestamp_share. It stays in this browser.
          </span>
        </div>
      </form>
    </Card>
  )
}
