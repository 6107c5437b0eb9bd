import { Button, DialogFooter } from '@blueprintjs/core'
import type { ComponentProps } from 'react'

type ButtonProps = ComponentProps<typeof Button>

export interface DialogActionsProps extends ButtonProps {
  /** The button that leaves the dialog; its text is 'Cancel' by default. */
  cancel: ButtonProps
}

/** The footer of a dialog: a button that leaves it, the button of its action, and `children` beside them. */
export const DialogActions = ({ cancel, children, ...action }: DialogActionsProps) => (
  <DialogFooter
    actions={
      <>
        <Button text="Cancel" {...cancel} />
        <Button intent="primary" {...action} />
      </>
    }
  >
    {children}
  </DialogFooter>
)
