import { FormGroup, formatLongDate, HTMLSelect, TextField, useSearchText } from '@iodine/ui'
import { useSearchParams } from '@iodine/ui/router'
import styles from './AuditLog.module.css'
import { ACTION_CHOICES, type AuditFilterValues, KIND_CHOICES } from './audit-words'

const FIELDS = ['action', 'kind', 'by', 'about', 'from', 'to'] as const
const idOf = (name: keyof AuditFilterValues) => `audit-${name}`

/** Returns the filters, which the URL contains, and functions that change them. */
export function useAuditFilters() {
  const [search, setSearch] = useSearchParams()
  const values = Object.fromEntries(
    FIELDS.map(name => [name, search.get(name) ?? '']),
  ) as unknown as AuditFilterValues
  const change = (name: keyof AuditFilterValues, value: string) => {
    // Another field may have changed the URL after the last render.
    const next = new URLSearchParams(window.location.search)
    if (value === '') next.delete(name)
    else next.set(name, value)
    setSearch(next, { replace: true })
  }
  const clear = () => {
    setSearch({ tab: search.get('tab') ?? '' }, { replace: true })
    // The button disappears with the filters: move the focus.
    document.getElementById(idOf('action'))?.focus()
  }
  return { values, change, clear }
}

interface AuditFiltersProps {
  values: AuditFilterValues
  change: (name: keyof AuditFilterValues, value: string) => void
}

/** The filters of the audit log. */
export function AuditFilters(props: AuditFiltersProps) {
  return (
    <div className={styles.filters}>
      <Choice name="action" label="Action" all="All actions" choices={ACTION_CHOICES} {...props} />
      <Choice name="kind" label="Actor type" all="All types" choices={KIND_CHOICES} {...props} />
      <Field name="by" label="Actor" hint="Username or id" {...props} />
      <Field name="about" label="Target" hint="Username or id" {...props} />
      <Field name="from" label="From" type="date" {...props} />
      <Field name="to" label="To" type="date" {...props} />
    </div>
  )
}

interface FieldProps extends AuditFiltersProps {
  name: keyof AuditFilterValues
  label: string
}

interface ChoiceProps extends FieldProps {
  /** Label of the choice without a filter. */
  all: string
  choices: readonly (readonly [value: string, label: string])[]
}

function Choice({ name, label, all, choices, values, change }: ChoiceProps) {
  const id = idOf(name)
  return (
    <FormGroup className={styles.field} label={label} labelFor={id}>
      <HTMLSelect
        id={id}
        fill
        value={values[name]}
        onChange={({ currentTarget }) => change(name, currentTarget.value)}
        options={[['', all] as const, ...choices].map(([value, text]) => ({ value, label: text }))}
      />
    </FormGroup>
  )
}

function Field({ name, label, hint, type, values, change }: FieldProps & { hint?: string; type?: 'date' }) {
  const [text, setText] = useSearchText(values[name], value => change(name, value.trim()))
  return (
    <TextField
      groupClass={styles.field}
      label={label}
      // Browsers write dates in the language of their own interface.
      helperText={type && formatLongDate(`${text}T12:00`)}
      {...(type && { type })}
      {...(hint && { placeholder: hint })}
      maxLength={100}
      autoComplete="off"
      value={text}
      onValueChange={setText}
    />
  )
}
