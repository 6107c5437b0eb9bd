import { FormGroup, HTMLSelect, InputGroup, useSearchText } from '@iodine/ui'
import { useSearchParams } from '@iodine/ui/router'
import styles from './AuditLog.module.css'
import { ACTION_CHOICES, type AuditQuestion, KIND_CHOICES } from './audit-words'

const FIELDS = ['action', 'kind', 'by', 'about', 'from', 'to'] as const
const idOf = (name: keyof AuditQuestion) => `audit-${name}`

/** The filters, which the address keeps. */
export function useQuestion() {
  const [search, setSearch] = useSearchParams()
  const question = Object.fromEntries(
    FIELDS.map(name => [name, search.get(name) ?? '']),
  ) as unknown as AuditQuestion
  const change = (name: keyof AuditQuestion, value: string) => {
    // The router may not have rendered yet what another field has put into the address.
    const next = new URLSearchParams(window.location.search)
    if (value === '') next.delete(name)
    else next.set(name, value)
    setSearch(next, { replace: true })
  }
  const clear = () => {
    setSearch({ tab: search.get('tab') ?? '' }, { replace: true })
    // The button goes away with the filters.
    document.getElementById(idOf('action'))?.focus()
  }
  return { question, change, clear }
}

interface AuditFiltersProps {
  question: AuditQuestion
  change: (name: keyof AuditQuestion, value: string) => void
}

/** What the log is narrowed to. */
export function AuditFilters(props: AuditFiltersProps) {
  return (
    <div className={styles.filters}>
      <Choice name="action" label="Action" all="All actions" choices={ACTION_CHOICES} {...props} />
      <Choice name="kind" label="Kind of actor" all="All kinds" choices={KIND_CHOICES} {...props} />
      <Field name="by" label="Done by" hint="Username or id" {...props} />
      <Field name="about" label="About" hint="Username or id" {...props} />
      <Field name="from" label="From" type="date" {...props} />
      <Field name="to" label="To" type="date" {...props} />
    </div>
  )
}

interface FieldProps extends AuditFiltersProps {
  name: keyof AuditQuestion
  label: string
}

interface ChoiceProps extends FieldProps {
  /** Label of the choice that is no filter. */
  all: string
  choices: readonly (readonly [value: string, label: string])[]
}

function Choice({ name, label, all, choices, question, change }: ChoiceProps) {
  const id = idOf(name)
  return (
    <FormGroup className={styles.field} label={label} labelFor={id}>
      <HTMLSelect
        id={id}
        fill
        value={question[name]}
        onChange={({ currentTarget }) => change(name, currentTarget.value)}
        options={[['', all] as const, ...choices].map(([value, text]) => ({ value, label: text }))}
      />
    </FormGroup>
  )
}

function Field({ name, label, hint, type, question, change }: FieldProps & { hint?: string; type?: 'date' }) {
  const id = idOf(name)
  const [text, setText] = useSearchText(question[name], value => change(name, value.trim()))
  return (
    <FormGroup className={styles.field} label={label} labelFor={id}>
      <InputGroup
        id={id}
        {...(type && { type })}
        {...(hint && { placeholder: hint })}
        maxLength={100}
        autoComplete="off"
        value={text}
        onValueChange={setText}
      />
    </FormGroup>
  )
}
