import { FormGroup, type FormGroupProps, InputGroup, type InputGroupProps } from '@blueprintjs/core'
import { useId } from 'react'

export interface TextFieldProps extends InputGroupProps {
  label: FormGroupProps['label']
  /** Shown beside the label, such as '(required)'. */
  labelInfo?: string
  /** Shown below the field, in the field's `intent`. */
  helperText?: FormGroupProps['helperText']
  /** Class of the field with its label. */
  groupClass?: string
}

/** A text field with its label. */
export function TextField(props: TextFieldProps) {
  const { label, labelInfo, helperText, groupClass = '', ...input } = props
  const ownId = useId()
  const { id = ownId, intent = 'none' } = input
  return (
    <FormGroup
      className={groupClass}
      label={label}
      labelFor={id}
      labelInfo={labelInfo}
      intent={intent}
      helperText={helperText}
    >
      <InputGroup {...input} id={id} />
    </FormGroup>
  )
}
