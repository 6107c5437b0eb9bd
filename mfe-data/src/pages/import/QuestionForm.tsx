import { Button, FormGroup, HTMLSelect, InputGroup } from '@iodine/ui'
import { type FormEvent, useId, useMemo, useState } from 'react'
import {
  answersFault,
  cleanAnswers,
  findQuestion,
  type GivenAnswers,
  isTextQuestion,
  proposedAnswers,
  type Questions,
  TEXT_QUESTIONS,
  timeQuestions,
  timeZones,
} from '../../model/import-questions'
import { formatName } from '../../model/import-texts'
import { ChatChoice } from './ChatChoice'
import { ColumnChoice } from './ColumnChoice'
import { EncodingChoice } from './EncodingChoice'
import { PartChoice } from './PartChoice'
import styles from './QuestionForm.module.css'

export interface QuestionFormProps {
  questions: Questions
  onAnswer: (answers: GivenAnswers) => void
  onCancel: () => void
}

/** Asks what a file does not contain, before it is read. */
export function QuestionForm({ questions: asked, onAnswer, onCancel }: QuestionFormProps) {
  const { questions, format, head } = asked
  const [answers, setAnswers] = useState(() => proposedAnswers(asked))
  const [isTried, setTried] = useState(false)
  const set = (change: GivenAnswers) => setAnswers(current => ({ ...current, ...change }))
  const fault = answersFault(questions, answers)
  const submit = (event: FormEvent) => {
    event.preventDefault()
    setTried(true)
    if (!fault) onAnswer(cleanAnswers(questions, answers))
  }
  const encoding = findQuestion(questions, 'encoding')
  const table = findQuestion(questions, 'mapping')
  const parts = findQuestion(questions, 'parts')
  return (
    <form className={styles.form} onSubmit={submit} aria-label="Questions about the file">
      {format && <p className={styles.format}>{formatName(format)}</p>}
      {encoding && (
        <EncodingChoice
          proposed={encoding.proposed ?? []}
          head={head}
          value={answers.encoding}
          onChange={encoding => set({ encoding })}
        />
      )}
      {table && (
        <ColumnChoice
          columns={table.columns ?? []}
          rows={table.rows ?? []}
          mapping={answers.mapping ?? {}}
          onChange={mapping => set({ mapping })}
        />
      )}
      {asked.chats && (
        <ChatChoice chats={asked.chats} value={answers.chats ?? {}} onChange={chats => set({ chats })} />
      )}
      {parts && (
        <PartChoice
          parts={parts.proposed ?? []}
          value={answers.parts ?? []}
          onChange={parts => set({ parts })}
        />
      )}
      <div className={styles.fields}>
        {questions.map(
          ({ name, required }) =>
            isTextQuestion(name) && (
              <TextAnswer
                key={name}
                {...TEXT_QUESTIONS[name]}
                isRequired={required}
                value={answers[name] ?? ''}
                onChange={value => set({ [name]: value })}
              />
            ),
        )}
        <TimeAnswers questions={asked} answers={answers} onChange={set} />
      </div>
      <div className={styles.actions}>
        {fault && (
          <span className={styles.fault} role={isTried ? 'alert' : undefined}>
            {fault}
          </span>
        )}
        <Button text="Cancel" onClick={onCancel} />
        <Button type="submit" intent="primary" text="Continue" disabled={fault !== undefined} />
      </div>
    </form>
  )
}

interface TextAnswerProps {
  label: string
  help: string
  isRequired: boolean
  value: string
  onChange: (value: string) => void
}

function TextAnswer({ label, help, isRequired, value, onChange }: TextAnswerProps) {
  const id = useId()
  return (
    <FormGroup
      label={label}
      labelFor={id}
      labelInfo={isRequired ? '(required)' : '(optional)'}
      helperText={help}
    >
      <InputGroup id={id} value={value} maxLength={500} onValueChange={onChange} />
    </FormGroup>
  )
}

interface TimeAnswersProps {
  questions: Questions
  answers: GivenAnswers
  onChange: (change: GivenAnswers) => void
}

/** Asks for the zone and the form of times, if the file's times need it. */
function TimeAnswers({ questions: { questions }, answers, onChange }: TimeAnswersProps) {
  const { asksZone, forms } = timeQuestions(questions, answers)
  const zones = useMemo(timeZones, [])
  const [zoneId, orderId] = [useId(), useId()]
  return (
    <>
      {asksZone && (
        <FormGroup
          label="Time zone"
          labelFor={zoneId}
          helperText="The times of the file have no zone. Choose the one in which the tool wrote them."
        >
          <HTMLSelect
            id={zoneId}
            fill
            value={answers.timezone ?? ''}
            onChange={({ currentTarget }) => onChange({ timezone: currentTarget.value })}
          >
            <option value="">Choose…</option>
            {zones.map(zone => (
              <option key={zone} value={zone}>
                {zone.replaceAll('_', ' ')}
              </option>
            ))}
          </HTMLSelect>
        </FormGroup>
      )}
      {forms.length > 1 && (
        <FormGroup label="Order of day and month" labelFor={orderId}>
          <HTMLSelect
            id={orderId}
            fill
            value={answers.date_format ?? ''}
            onChange={({ currentTarget }) => onChange({ date_format: currentTarget.value })}
          >
            <option value="">Choose…</option>
            {forms.map(({ format, label }) => (
              <option key={format} value={format}>
                {label}
              </option>
            ))}
          </HTMLSelect>
        </FormGroup>
      )}
    </>
  )
}
