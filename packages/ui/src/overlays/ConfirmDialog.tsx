import { DialogBody } from '@blueprintjs/core'
import { type ReactNode, useState } from 'react'
import { Dialog } from './Dialog'
import { DialogActions } from './DialogActions'

export interface ConfirmDialogProps {
  isOpen: boolean
  title: string
  children: ReactNode
  confirmLabel: string
  /** Look of the confirming button; default 'danger'. */
  intent?: 'danger' | 'primary'
  /** The confirmed action. The dialog calls `onClose` once its promise has settled. */
  onConfirm: () => Promise<unknown>
  onClose: () => void
}

/** A confirmation dialog, for an action that can't be undone or that affects other users. */
export function ConfirmDialog({
  isOpen,
  title,
  children,
  confirmLabel,
  intent = 'danger',
  onConfirm,
  onClose,
}: ConfirmDialogProps) {
  const [working, setWorking] = useState(false)
  const confirm = async () => {
    setWorking(true)
    try {
      await onConfirm()
    } finally {
      setWorking(false)
      onClose()
    }
  }
  return (
    <Dialog
      isOpen={isOpen}
      onClose={onClose}
      title={title}
      canOutsideClickClose={!working}
      canEscapeKeyClose={!working}
    >
      <DialogBody>{children}</DialogBody>
      <DialogActions
        intent={intent}
        text={confirmLabel}
        onClick={confirm}
        loading={working}
        cancel={{ onClick: onClose, disabled: working, autoFocus: true }}
      />
    </Dialog>
  )
}
