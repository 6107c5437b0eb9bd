import { Button, Card, Disclosure, FormGroup, HTMLSelect, TextArea, UtcTimeField } from '@iodine/ui'
import { type SyntheticEvent, useId, useState } from 'react'
import { type SearchCriteria, WORDS_MAX } from '../model/search-criteria'
import styles from './SearchForm.module.css'

const SCOPES = [
  { value: 'own', label: 'My own' },
  { value: 'shared', label: 'My own and shared ones' },
]

export interface SearchFormProps {
  initial: SearchCriteria | null
  busy: boolean
  onSearch: (criteria: SearchCriteria) => void
}

/** The search form, with the searched records and the period. */
export function SearchForm({ initial, busy, onSearch }: SearchFormProps) {
  const id = useId()
  const isTyped = initial && initial.by !== 'record' && initial.by !== 'iod'
  const [words, setWords] = useState(isTyped ? initial.words : '')
  const [scope, setScope] = useState<SearchCriteria['scope']>(initial?.scope ?? 'own')
  const [since, setSince] = useState(initial?.since ?? '')
  const [until, setUntil] = useState(initial?.until ?? '')
  // An empty form repeats the search by a record or an IOD.
  const kept = initial && !isTyped && words.trim() === ''
  const isBackwards = since !== '' && until !== '' && since > until
  const canSubmit = !isBackwards && (words.trim() !== '' || kept)

  const submit = (event: SyntheticEvent) => {
    event.preventDefault()
    if (!canSubmit) return
    const subject = kept ? initial : { by: 'value' as const, words: words.trim() }
    onSearch({ ...subject, scope, since, until })
  }
  return (
    <Card className={styles.card} compact>
      <form onSubmit={submit} noValidate aria-label="Search origins">
        <FormGroup
          label="Search for"
          labelFor={`${id}-words`}
          helperText="A text finds copies, near copies and rewordings. A URL finds posts that link to it. The hash of a picture finds the picture."
        >
          <TextArea
            id={`${id}-words`}
            dir="auto"
            fill
            autoResize
            maxLength={WORDS_MAX}
            placeholder="A text, a URL or a hash"
            value={words}
            onChange={event => setWords(event.currentTarget.value)}
            onKeyDown={event => {
              // During input method composition, Enter confirms a suggestion.
              if (event.key === 'Enter' && !event.shiftKey && !event.nativeEvent.isComposing) submit(event)
            }}
          />
        </FormGroup>
        <div className={styles.fields}>
          <FormGroup label="Records" labelFor={`${id}-scope`}>
            <HTMLSelect
              id={`${id}-scope`}
              fill
              value={scope}
              options={SCOPES}
              onChange={event => setScope(event.target.value as SearchCriteria['scope'])}
            />
          </FormGroup>
          <Button
            className={styles.submit}
            type="submit"
            intent="primary"
            text="Search"
            loading={busy}
            disabled={!canSubmit}
          />
        </div>
        <Disclosure
          label="Period"
          active={[since, until].filter(time => time !== '').length}
          forceOpen={isBackwards}
        >
          <div className={styles.fields}>
            <UtcTimeField id={`${id}-since`} label="Since" value={since} onValueChange={setSince} />
            <UtcTimeField
              id={`${id}-until`}
              label="Until"
              value={until}
              onValueChange={setUntil}
              error={isBackwards ? 'Must be after Since' : undefined}
            />
          </div>
        </Disclosure>
      </form>
    </Card>
  )
}
