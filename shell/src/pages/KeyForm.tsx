import { errorToast, useHost } from '@iodine/mfe-kit'
import { FormGroup, HTMLSelect, InputGroup, useMissingField } from '@iodine/ui'
import { useState } from 'react'

export const DAY_MS = 24 * 3_600_000
const LIFE_DAYS = 90

/** What the forms of keys and tokens have in common: a name, a life, and the field that is at fault. */
export function useKeyForm<F extends string = never>() {
  const { notify } = useHost()
  const [name, setName] = useState('')
  const [days, setDays] = useState(LIFE_DAYS)
  const { groupProps, fieldProps, setMissing } = useMissingField<F | 'name'>()
  return {
    name: name.trim(),
    days,
    groupProps,
    fieldProps,
    setMissing,
    /** Says what is wrong with a field, and marks it. */
    refuse(field: F | 'name', why: string): false {
      notify(errorToast(null, why))
      setMissing(field)
      return false
    },
    nameProps: {
      value: name,
      onValueChange(value: string) {
        setMissing()
        setName(value)
      },
    },
    setDays,
  }
}

type KeyForm = ReturnType<typeof useKeyForm<never>>

interface NameFieldProps {
  form: Pick<KeyForm, 'groupProps' | 'fieldProps' | 'nameProps'>
  label: string
  placeholder: string
  maxLength: number
}

export function NameField({ form, label, ...props }: NameFieldProps) {
  return (
    <FormGroup label={label} {...form.groupProps('name')}>
      <InputGroup {...form.fieldProps('name')} {...props} autoComplete="off" autoFocus {...form.nameProps} />
    </FormGroup>
  )
}

interface LifeFieldProps {
  form: Pick<KeyForm, 'days' | 'setDays'>
  id: string
  /** The last choice, which is 0 days. */
  last: string
}

/** How long a key lives, in days. */
export function LifeField({ form, id, last }: LifeFieldProps) {
  return (
    <FormGroup label="Lives for" labelFor={id}>
      <HTMLSelect
        id={id}
        fill
        value={form.days}
        onChange={event => form.setDays(Number(event.currentTarget.value))}
        options={[
          { value: LIFE_DAYS, label: '90 days' },
          { value: 365, label: 'A year' },
          { value: 30, label: '30 days' },
          { value: 0, label: last },
        ]}
      />
    </FormGroup>
  )
}
