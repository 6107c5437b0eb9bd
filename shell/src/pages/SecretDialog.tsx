import { Button, useRetained } from '@iodine/ui'
import { Dialog, DialogBody, DialogFooter } from '@iodine/ui/overlays'
import type { ReactNode } from 'react'
import styles from './Profile.module.css'

export interface SecretDialogProps<M> {
  title: string
  /** The new secret; null closes the dialog. */
  made: M | null
  onClose: () => void
  children: (made: M) => ReactNode
}

/** Shows a new secret, once. */
export function SecretDialog<M>({ title, made, onClose, children }: SecretDialogProps<M>) {
  const shown = useRetained(made)
  return (
    <Dialog isOpen={made !== null} onClose={onClose} title={title} canOutsideClickClose={false}>
      {shown && (
        <>
          <DialogBody>
            <p className={styles.once}>Copy it now: it is not shown again.</p>
            {children(shown)}
          </DialogBody>
          <DialogFooter actions={<Button intent="primary" text="Done" onClick={onClose} />} />
        </>
      )}
    </Dialog>
  )
}
