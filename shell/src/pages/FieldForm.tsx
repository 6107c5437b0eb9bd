import { errorToast, useHost } from '@iodine/mfe-kit'
import { TextField, type TextFieldProps, useMissingField } from '@iodine/ui'
import { DialogForm, type DialogFormProps } from '@iodine/ui/overlays'
import { useState } from 'react'

/** Returns `useMissingField`, and `refuse`, which shows a toast with the error and marks the field. */
export function useRefusal<F extends string>() {
  const { notify } = useHost()
  const fields = useMissingField<F>()
  const refuse = (field: F, why: string): false => {
    notify(errorToast(null, why))
    fields.setMissing(field)
    return false
  }
  return { ...fields, refuse }
}

export interface FieldFormProps
  extends Pick<DialogFormProps, 'submitLabel' | 'onClose' | 'note'>,
    Pick<TextFieldProps, 'label' | 'helperText' | 'type' | 'placeholder' | 'autoComplete' | 'maxLength'> {
  initial?: string
  /** The error of an empty field. */
  missing: string
  /** Receives the trimmed value. The dialog closes on true. */
  onSubmit: (value: string) => Promise<boolean>
}

/** A form of one required text field, as the content of a dialog. */
export function FieldForm(props: FieldFormProps) {
  const { submitLabel, onClose, note, initial = '', missing, onSubmit, ...field } = props
  const [value, setValue] = useState(initial)
  const { fieldProps, setMissing, refuse } = useRefusal<'value'>()
  const submit = async () => (value.trim() === '' ? refuse('value', missing) : onSubmit(value.trim()))
  return (
    <DialogForm submitLabel={submitLabel} onSubmit={submit} onClose={onClose} note={note}>
      <TextField
        {...field}
        {...fieldProps('value')}
        autoFocus
        value={value}
        onValueChange={next => {
          setMissing()
          setValue(next)
        }}
      />
    </DialogForm>
  )
}
