import { Dialog as BlueprintDialog, type DialogProps } from '@blueprintjs/core'
import { useInsertionEffect, useRef } from 'react'

/** Blueprint's dialog, which gives the focus back to the element that had it before the dialog opened. */
export function Dialog(props: DialogProps) {
  const opener = useRef<Element>(null)
  // Blueprint notes the focus later, when a field inside may have taken it.
  useInsertionEffect(() => {
    if (props.isOpen) opener.current = document.activeElement
  }, [props.isOpen])
  return (
    <BlueprintDialog
      {...props}
      shouldReturnFocusOnClose={false}
      onClosed={node => {
        if (opener.current instanceof HTMLElement) opener.current.focus()
        props.onClosed?.(node)
      }}
    />
  )
}
