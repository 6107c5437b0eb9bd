import { Dialog as BlueprintDialog, type DialogProps } from '@blueprintjs/core'
import { useInsertionEffect, useRef } from 'react'

/** Blueprint's dialog. On close, returns the focus to the element that had it before the dialog opened. */
export function Dialog(props: DialogProps) {
  const opener = useRef<Element>(null)
  // Blueprint stores the focused element later, when a field of the dialog may already have the focus.
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
