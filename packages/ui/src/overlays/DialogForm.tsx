import { Button, DialogBody, DialogFooter } from '@blueprintjs/core'
import { type FormEvent, type ReactNode, useId, useState } from 'react'

export interface DialogFormProps {
  submitLabel: string
  /** Whether the submit button may be pressed; true unless told. */
  canSubmit?: boolean
  /** Does what the form is for. The dialog closes when it answers true and stays open, as filled in, when false. */
  onSubmit: () => Promise<boolean>
  onClose: () => void
  /** The fields. */
  children: ReactNode
  /** Stands below the fields. */
  note?: ReactNode
}

/**
 * A form with Cancel and a submit button, as the content of a dialog. The dialog mounts its content anew each time it
 * opens, so the component around this one keeps the fields in its own state.
 */
export function DialogForm({
  submitLabel,
  canSubmit = true,
  onSubmit,
  onClose,
  children,
  note,
}: DialogFormProps) {
  const [working, setWorking] = useState(false)
  const formId = useId()
  const submit = async (event: FormEvent) => {
    event.preventDefault()
    setWorking(true)
    try {
      if (await onSubmit()) onClose()
    } finally {
      setWorking(false)
    }
  }
  return (
    <>
      <DialogBody>
        <form id={formId} onSubmit={submit} noValidate>
          {children}
        </form>
        {note}
      </DialogBody>
      <DialogFooter
        actions={
          <>
            <Button text="Cancel" onClick={onClose} />
            <Button
              type="submit"
              form={formId}
              intent="primary"
              text={submitLabel}
              loading={working}
              disabled={!canSubmit}
            />
          </>
        }
      />
    </>
  )
}
