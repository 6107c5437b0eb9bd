import { DialogBody } from '@blueprintjs/core'
import { type FormEvent, type KeyboardEvent, type ReactNode, useId, useState } from 'react'
import { DialogActions } from './DialogActions'

export interface DialogFormProps {
  submitLabel: string
  /** Whether the submit button is enabled; default true. */
  canSubmit?: boolean
  /** Submits the form. The dialog closes on true and stays open with the entered values on false. */
  onSubmit: () => Promise<boolean>
  onClose: () => void
  /** Discards the entered values: called by Cancel and after a submission. Escape keeps them. */
  onDiscard?: () => void
  children: ReactNode
  /** Shown below the fields. */
  note?: ReactNode
}

/**
 * A form with Cancel and submit buttons, as the content of a dialog. Ctrl+Enter, or ⌘+Enter, submits it. Keep the
 * fields' state in a component inside the dialog. Each opening mounts the content again, which resets that state or
 * reads the draft of `useDraft`.
 */
export function DialogForm({
  submitLabel,
  canSubmit = true,
  onSubmit,
  onClose,
  onDiscard = () => {},
  children,
  note,
}: DialogFormProps) {
  const [working, setWorking] = useState(false)
  const formId = useId()
  const close = () => {
    onDiscard()
    onClose()
  }
  const submit = async (event: FormEvent) => {
    event.preventDefault()
    setWorking(true)
    try {
      if (await onSubmit()) close()
    } finally {
      setWorking(false)
    }
  }
  const onKeyDown = (event: KeyboardEvent<HTMLFormElement>) => {
    if (event.key !== 'Enter' || !(event.ctrlKey || event.metaKey) || event.nativeEvent.isComposing) return
    event.preventDefault()
    if (canSubmit && !working) event.currentTarget.requestSubmit()
  }
  return (
    <>
      <DialogBody>
        <form id={formId} onSubmit={submit} onKeyDown={onKeyDown} noValidate>
          {children}
        </form>
        {note}
      </DialogBody>
      <DialogActions
        type="submit"
        form={formId}
        text={submitLabel}
        loading={working}
        disabled={!canSubmit}
        cancel={{ onClick: close }}
      />
    </>
  )
}
