import { LIMITS } from '@iodine/contracts'
import { paths, SectionLink, useHost } from '@iodine/mfe-kit'
import {
  Button,
  Callout,
  Card,
  FormGroup,
  InputGroup,
  ProgressBar,
  TextArea,
  useDraft,
  useMissingField,
} from '@iodine/ui'
import type { FormEvent } from 'react'
import type { useExtractions } from '../queries/extractions'
import styles from './AnalyzeForm.module.css'

const EMPTY = { text: '', source: '' }
const COUNT_FROM = LIMITS.narrativeTextMax * 0.8

export interface AnalyzeFormProps {
  extractions: Pick<ReturnType<typeof useExtractions>, 'underWay' | 'isUnderWay' | 'keyFault'>
  /** Resolves to true if the form may be cleared. */
  onExtract: (text: string, src: string | null) => Promise<boolean>
}

/** The form that analyzes a text. It remains usable while other texts are analyzed. */
export function AnalyzeForm({ extractions, onExtract }: AnalyzeFormProps) {
  const { underWay, isUnderWay, keyFault } = extractions
  const { notify, session } = useHost()
  const [draft, setDraft] = useDraft(`${session.user.id}:narrative`, EMPTY)
  const { groupProps, fieldProps, setMissing } = useMissingField<keyof typeof EMPTY>()
  const { text, source } = draft
  const src = source.trim() || null
  const running = underWay.filter(extraction => extraction.phase !== 'overdue').length

  const submit = async (event: FormEvent) => {
    event.preventDefault()
    if (text.trim() === '') {
      notify({ status: 'warning', title: 'Please enter text to analyze' })
      setMissing('text')
      return
    }
    if (!(await onExtract(text, src))) return
    // The user may already have entered the next text.
    setDraft(current => (current.text === text ? EMPTY : current))
  }

  return (
    <Card>
      <form onSubmit={submit} noValidate aria-labelledby="analyze-new-text">
        <h2 id="analyze-new-text" className={styles.title}>
          Analyze new text
        </h2>
        <FormGroup label="Text" {...groupProps('text')} labelInfo="(required)" helperText={lengthHint(text)}>
          <TextArea
            {...fieldProps('text')}
            required
            fill
            className={styles.text}
            placeholder="Paste the text to analyze"
            value={text}
            onChange={event => {
              setMissing()
              setDraft({ ...draft, text: event.target.value })
            }}
          />
        </FormGroup>
        <FormGroup label="Source URL" {...groupProps('source')} labelInfo="(optional)">
          <InputGroup
            {...fieldProps('source')}
            type="url"
            placeholder="https://example.com/article"
            value={source}
            onValueChange={source => setDraft({ ...draft, source })}
          />
        </FormGroup>
        <div className={styles.actions}>
          <Button
            type="submit"
            intent="primary"
            text="Extract narratives"
            loading={text.trim() !== '' && isUnderWay(text, src)}
          />
          {running > 0 && (
            <div className={styles.progress} role="status">
              <div aria-hidden>
                <ProgressBar intent="primary" />
              </div>
              <span>
                Analyzing {running} {running === 1 ? 'text' : 'texts'}… You can already enter the next one.
              </span>
            </div>
          )}
        </div>
      </form>
      <OfflineHint />
      <KeyHint fault={keyFault} />
    </Card>
  )
}

const lengthHint = (text: string) =>
  text.length > COUNT_FROM
    ? `${text.length.toLocaleString('en-US')} of at most ${LIMITS.narrativeTextMax.toLocaleString('en-US')} characters`
    : undefined

/** A hint for demos, where triplets are extracted by rules instead of an AI model. */
function OfflineHint() {
  const { config } = useHost()
  if (!config.offline_ai) return null
  return (
    <Callout className={styles.hint} icon={false}>
      Demo: rules on this machine extract the triplets, not an AI model. The rules recognize only simple
      English sentences.
    </Callout>
  )
}

/** A hint that an API key is needed, before the first extraction and after one that failed because of the key. */
function KeyHint({ fault }: { fault: string | null }) {
  const { session } = useHost()
  if (!fault && session.user.has_openai_key) return null
  return (
    <Callout
      className={styles.hint}
      intent={fault ? 'warning' : 'none'}
      icon={false}
      title={fault ? 'OpenAI key required' : undefined}
    >
      <span>{fault ?? 'Texts are analyzed with your own OpenAI API key. Add it in your profile first.'}</span>
      <SectionLink to={paths.profile()}>Open my profile</SectionLink>
    </Callout>
  )
}
