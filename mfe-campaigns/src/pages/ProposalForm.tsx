import { LIMITS, PROPOSAL_MODES } from '@iodine/contracts'
import { paths, SectionLink, useHost } from '@iodine/mfe-kit'
import { Button, Callout, HTMLSelect, Radio, TextArea, truncate, useDraft } from '@iodine/ui'
import { type FormEvent, useId, useState } from 'react'
import { TEXTS } from '../model/proposal-texts'
import { errorText, type ProposalDraft, requestOf } from '../model/proposals'
import { type StartedRun, useOwnNarratives, useStartRun } from '../queries/proposals'
import styles from './ProposalsDialog.module.css'

const KINDS = ['text', 'narrative', 'evidence'] as const
/** Characters of a narrative that the list shows. */
const NARRATIVE_CHARS = 80

const EMPTY: ProposalDraft = { kind: 'text', text: '', narrativeId: '', mode: 'offline' }

export interface ProposalFormProps {
  campaignId: string
  /** Why there are no proposals to show; '' without a problem. */
  problem: string
  onStarted: (run: StartedRun) => void
}

/** A form that names the text to read, and who reads it. The text is kept, so that it can be read again. */
export function ProposalForm({ campaignId, problem, onStarted }: ProposalFormProps) {
  const { config, session } = useHost()
  const hasKey = session.user.has_openai_key
  const [draft, setDraft] = useDraft(`${session.user.id}:proposals:${campaignId}`, EMPTY)
  const [isStarting, setStarting] = useState(false)
  const [failure, setFailure] = useState(problem)
  const start = useStartRun(campaignId)
  const change = (changes: Partial<ProposalDraft>) => setDraft({ ...draft, ...changes })
  const request = requestOf(draft)
  const submit = async (event: FormEvent) => {
    event.preventDefault()
    if (!request || isStarting) return
    setStarting(true)
    try {
      const { id } = await start(request)
      onStarted({ id, kind: draft.kind })
    } catch (error) {
      setFailure(errorText(error))
      setStarting(false)
    }
  }
  return (
    <form className={styles.form} onSubmit={event => void submit(event)}>
      {failure && (
        <Callout intent="danger" compact role="alert">
          {failure}
        </Callout>
      )}
      <fieldset className={styles.choices}>
        <legend>{TEXTS.source}</legend>
        {KINDS.map(kind => (
          <Radio
            key={kind}
            name="source"
            label={TEXTS.sources[kind]}
            checked={draft.kind === kind}
            onChange={() => change({ kind })}
          />
        ))}
      </fieldset>
      <Source draft={draft} onChange={change} />
      <p className={styles.note}>{TEXTS.visible[draft.kind]}</p>
      <fieldset className={styles.choices}>
        <legend>{TEXTS.mode}</legend>
        {PROPOSAL_MODES.map(mode => (
          <Radio
            key={mode}
            name="mode"
            label={TEXTS.modes[mode]}
            // The stand-in of the demo extracts triplets alone.
            disabled={mode === 'ai' && (!hasKey || config.offline_ai)}
            checked={draft.mode === mode}
            onChange={() => change({ mode })}
          />
        ))}
      </fieldset>
      <p className={styles.note}>
        {TEXTS.modeHelp[draft.mode]}{' '}
        {!hasKey && !config.offline_ai && <SectionLink to={paths.profile()}>{TEXTS.addKey}</SectionLink>}
      </p>
      <Button type="submit" intent="primary" text={TEXTS.propose} disabled={!request} loading={isStarting} />
    </form>
  )
}

interface SourceProps {
  draft: ProposalDraft
  onChange: (changes: Partial<ProposalDraft>) => void
}

function Source({ draft: { kind, text, narrativeId }, onChange }: SourceProps) {
  const narratives = useOwnNarratives(kind === 'narrative')
  const lengthId = useId()
  const format = new Intl.NumberFormat().format
  const max = LIMITS.narrativeTextMax
  if (kind === 'evidence') return <p>{TEXTS.evidenceHelp}</p>
  if (kind === 'narrative')
    return narratives.error ? (
      <Callout intent="danger">{errorText(narratives.error)}</Callout>
    ) : narratives.data?.length === 0 ? (
      <p>{TEXTS.noNarratives}</p>
    ) : (
      <HTMLSelect
        fill
        aria-label={TEXTS.narratives}
        disabled={!narratives.data}
        value={narrativeId}
        onChange={event => onChange({ narrativeId: event.currentTarget.value })}
      >
        <option value="">{TEXTS.chooseNarrative}</option>
        {narratives.data?.map(each => (
          <option key={each.id} value={each.id}>
            {truncate(each.text, NARRATIVE_CHARS)}
          </option>
        ))}
      </HTMLSelect>
    )
  return (
    <div>
      <TextArea
        fill
        rows={8}
        dir="auto"
        aria-label={TEXTS.text}
        aria-describedby={lengthId}
        placeholder={TEXTS.text}
        value={text}
        onChange={event => onChange({ text: event.currentTarget.value })}
      />
      <p id={lengthId} className={text.length > max ? styles.excess : styles.note}>
        {text.length > max
          ? TEXTS.errors.tooLong(format(max))
          : TEXTS.length(format(text.length), format(max))}
      </p>
    </div>
  )
}
