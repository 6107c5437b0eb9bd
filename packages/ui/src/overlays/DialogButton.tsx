import { Button, type ButtonProps } from '@blueprintjs/core'
import { type ReactNode, useState } from 'react'
import { useRetained } from '../hooks/use-retained'
import { ConfirmDialog, type ConfirmDialogProps } from './ConfirmDialog'
import { Dialog } from './Dialog'

export interface DialogButtonProps {
  button: ButtonProps
  /** The dialog's title; it keeps the one that it was opened with. */
  title: string
  /** Renders the dialog's content, mostly a `DialogForm`. */
  children: (close: () => void) => ReactNode
}

/** A button that opens a dialog, which a click outside does not close. */
export function DialogButton({ button, title, children }: DialogButtonProps) {
  const [opened, setOpened] = useState<string | null>(null)
  const close = () => setOpened(null)
  return (
    <>
      <Button {...button} onClick={() => setOpened(title)} />
      <Dialog
        isOpen={opened !== null}
        onClose={close}
        title={useRetained(opened)}
        canOutsideClickClose={false}
      >
        {children(close)}
      </Dialog>
    </>
  )
}

export interface ConfirmButtonProps extends Omit<ConfirmDialogProps, 'isOpen' | 'onClose'> {
  button: ButtonProps
  /** Whether the button runs the action without the dialog; default false. */
  isConfirmed?: boolean
}

/** A button whose action a dialog confirms first. */
export function ConfirmButton({ button, isConfirmed = false, ...dialog }: ConfirmButtonProps) {
  const [isOpen, setOpen] = useState(false)
  return (
    <>
      <Button {...button} onClick={() => (isConfirmed ? void dialog.onConfirm() : setOpen(true))} />
      <ConfirmDialog {...dialog} isOpen={isOpen} onClose={() => setOpen(false)} />
    </>
  )
}
