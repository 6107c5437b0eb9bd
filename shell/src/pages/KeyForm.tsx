import { FormGroup, HTMLSelect, TextField } from '@iodine/ui'
import { useState } from 'react'
import { useRefusal } from './FieldForm'

export const DAY_MS = 24 * 3_600_000
const DEFAULT_EXPIRY_DAYS = 90

/** Holds the common state of the forms of keys and tokens: name, validity and the invalid field. */
export function useKeyForm<F extends string = never>() {
  const [name, setName] = useState('')
  const [days, setDays] = useState(DEFAULT_EXPIRY_DAYS)
  const fields = useRefusal<F | 'name'>()
  return {
    ...fields,
    name: name.trim(),
    days,
    setDays,
    nameProps: {
      value: name,
      onValueChange(value: string) {
        fields.setMissing()
        setName(value)
      },
    },
  }
}

type KeyForm = ReturnType<typeof useKeyForm<never>>

interface NameFieldProps {
  form: Pick<KeyForm, 'fieldProps' | 'nameProps'>
  label: string
  placeholder: string
  maxLength: number
}

export function NameField({ form, ...props }: NameFieldProps) {
  return (
    <TextField {...form.fieldProps('name')} {...props} autoComplete="off" autoFocus {...form.nameProps} />
  )
}

interface ExpiryFieldProps {
  form: Pick<KeyForm, 'days' | 'setDays'>
  id: string
  /** Label of the last choice, whose value is 0 days. */
  last: string
}

/** The validity of a key, in days. */
export function ExpiryField({ form, id, last }: ExpiryFieldProps) {
  return (
    <FormGroup label="Expires after" labelFor={id}>
      <HTMLSelect
        id={id}
        fill
        value={form.days}
        onChange={event => form.setDays(Number(event.currentTarget.value))}
        options={[
          { value: DEFAULT_EXPIRY_DAYS, label: '90 days' },
          { value: 365, label: '1 year' },
          { value: 30, label: '30 days' },
          { value: 0, label: last },
        ]}
      />
    </FormGroup>
  )
}
