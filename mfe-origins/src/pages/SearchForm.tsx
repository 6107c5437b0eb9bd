import { Button, Card, FormGroup, HTMLSelect, InputGroup, SegmentedControl, TextArea } from '@iodine/ui'
import { SearchIcon } from '@iodine/ui/icons'
import { type FormEvent, useId, useState } from 'react'
import { type By, type Question, WORDS_MAX } from '../model/question'
import styles from './SearchForm.module.css'

type Typed = Exclude<By, 'record' | 'iod'>

const HINTS: Record<Typed, string> = {
  value: 'An IOD’s value: words, a web address, or the hash of a picture',
  text: 'A whole post: copies, near copies and rewordings are found',
  url: 'https://…',
}
const LABELS: { value: Typed; label: string }[] = [
  { value: 'value', label: 'Value' },
  { value: 'text', label: 'Text' },
  { value: 'url', label: 'Address' },
]

export interface SearchFormProps {
  asked: Question | null
  busy: boolean
  onAsk: (question: Question) => void
}

/** What to search for, among which records and in which time. */
export function SearchForm({ asked, busy, onAsk }: SearchFormProps) {
  const id = useId()
  const isTyped = asked && asked.by !== 'record' && asked.by !== 'iod'
  const [by, setBy] = useState<Typed>(isTyped ? (asked.by as Typed) : 'value')
  const [words, setWords] = useState(isTyped ? asked.words : '')
  const [scope, setScope] = useState<Question['scope']>(asked?.scope ?? 'own')
  const [since, setSince] = useState(asked?.since ?? '')
  const [until, setUntil] = useState(asked?.until ?? '')
  const isFilled = words.trim() !== ''
  // Without words of its own the form asks about the same record or IOD again.
  const kept = asked && !isTyped && !isFilled
  const isBackwards = since !== '' && until !== '' && since > until

  const submit = (event: FormEvent) => {
    event.preventDefault()
    if (isBackwards || (!isFilled && !kept)) return
    onAsk(kept ? { ...asked, scope, since, until } : { by, words: words.trim(), scope, since, until })
  }
  const field = {
    id: `${id}-words`,
    placeholder: HINTS[by],
    'aria-label': 'What to search for',
    dir: 'auto',
    maxLength: WORDS_MAX,
    value: words,
  } as const
  return (
    <Card className={styles.card} compact>
      <form onSubmit={submit} noValidate aria-label="Search origins">
        <div className={styles.search}>
          <SegmentedControl
            aria-label="Search by"
            options={LABELS}
            value={by}
            onValueChange={value => setBy(value as Typed)}
          />
          <div className={styles.words}>
            {by === 'text' ? (
              <TextArea {...field} fill autoResize onChange={event => setWords(event.currentTarget.value)} />
            ) : (
              <InputGroup {...field} leftIcon={<SearchIcon />} onValueChange={setWords} />
            )}
          </div>
        </div>
        <div className={styles.fields}>
          <FormGroup label="Records" labelFor={`${id}-scope`}>
            <HTMLSelect
              id={`${id}-scope`}
              fill
              value={scope}
              onChange={event => setScope(event.target.value as Question['scope'])}
            >
              <option value="own">My own</option>
              <option value="shared">My own and shared ones</option>
            </HTMLSelect>
          </FormGroup>
          <FormGroup label="Since" labelFor={`${id}-since`} labelInfo="(UTC)">
            <InputGroup id={`${id}-since`} type="datetime-local" value={since} onValueChange={setSince} />
          </FormGroup>
          <FormGroup
            label="Until"
            labelFor={`${id}-until`}
            labelInfo="(UTC)"
            intent={isBackwards ? 'danger' : 'none'}
            helperText={isBackwards ? 'Must be after Since' : undefined}
          >
            <InputGroup id={`${id}-until`} type="datetime-local" value={until} onValueChange={setUntil} />
          </FormGroup>
          <Button
            className={styles.submit}
            type="submit"
            intent="primary"
            text="Search"
            loading={busy}
            disabled={isBackwards || (!isFilled && !kept)}
          />
        </div>
      </form>
    </Card>
  )
}
