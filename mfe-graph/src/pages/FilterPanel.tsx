import { Button, Card, Disclosure, FormGroup, HTMLSelect, InputGroup } from '@iodine/ui'
import { type ComponentProps, type FormEvent, useEffect, useId, useState } from 'react'
import { activeFilters, type Filters, NO_FILTERS } from '../model/filters'
import styles from './FilterPanel.module.css'

export interface FilterPanelProps {
  /** The filters of the displayed graph. */
  applied: Filters
  /** The sources of the last response; undefined while the graph loads. */
  sources: readonly string[] | undefined
  onApply: (filters: Filters) => void
}

/** The filter form. Only its button applies the filters. */
export function FilterPanel({ applied, sources, onApply }: FilterPanelProps) {
  const active = activeFilters(applied)
  const [draft, setDraft] = useState(applied)
  const id = useId()
  useEffect(() => setDraft(applied), [applied])

  const choices = useChoices(sources, applied.user_id, draft.source)
  const set = (change: Partial<Filters>) => setDraft(current => ({ ...current, ...change }))
  const submit = (event: FormEvent) => {
    event.preventDefault()
    onApply({ ...draft, canonical: applied.canonical })
  }
  const input = (
    field: keyof Filters,
    label: string,
    props: ComponentProps<typeof InputGroup>,
    labelInfo?: string,
  ) => (
    <FormGroup label={label} labelFor={`${id}-${field}`} labelInfo={labelInfo}>
      <InputGroup
        id={`${id}-${field}`}
        {...props}
        value={draft[field]}
        onValueChange={value => set({ [field]: value })}
      />
    </FormGroup>
  )
  const text = (field: keyof Filters, label: string, placeholder: string) =>
    input(field, label, { placeholder })
  const date = (field: keyof Filters, label: string) =>
    input(field, label, { type: 'datetime-local' }, '(UTC)')

  return (
    <Card className={styles.panel} compact>
      <Disclosure label="Filters" active={active}>
        <form className={styles.form} onSubmit={submit} noValidate aria-label="Filters">
          <div className={styles.fields}>
            {text('user_id', 'User ID', 'Leave empty for the current user')}
            {date('start_date', 'Start date')}
            {date('end_date', 'End date')}
            <FormGroup label="Source" labelFor={`${id}-source`}>
              <HTMLSelect
                id={`${id}-source`}
                fill
                value={draft.source}
                onChange={event => set({ source: event.target.value })}
              >
                <option value="">All sources</option>
                {choices.map(source => (
                  <option key={source}>{source}</option>
                ))}
              </HTMLSelect>
            </FormGroup>
            {text('entity', 'Entity', 'Part of a subject or object')}
            {text('verb', 'Verb', 'Part of a verb')}
          </div>
          <div className={styles.actions}>
            <Button type="submit" intent="primary" text="Apply filters" />
            <Button text="Reset" onClick={() => setDraft(NO_FILTERS)} />
          </div>
        </form>
      </Disclosure>
    </Card>
  )
}

/** Returns all sources of this user's responses so far: a filtered response has fewer, a pending one none. */
function useChoices(sources: readonly string[] | undefined, userId: string, chosen: string): string[] {
  const [seen, setSeen] = useState<{ userId: string; sources: string[] }>({ userId, sources: [] })
  useEffect(() => {
    if (!sources) return
    setSeen(before => {
      const known = before.userId === userId ? before.sources : []
      return { userId, sources: [...new Set([...known, ...sources])].sort() }
    })
  }, [sources, userId])
  return chosen && !seen.sources.includes(chosen) ? [...seen.sources, chosen] : seen.sources
}
