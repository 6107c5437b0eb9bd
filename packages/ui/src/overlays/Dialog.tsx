import { Dialog as BlueprintDialog, type DialogProps } from '@blueprintjs/core'
import { Fragment, useInsertionEffect, useRef, useState } from 'react'

/**
 * Blueprint's dialog. Each opening mounts new content, even while the previous one fades out. On close, it returns the
 * focus to the element that had it before the dialog opened.
 */
export function Dialog({ children, isOpen = false, ...props }: DialogProps) {
  const opener = useRef<Element>(null)
  const [opening, setOpening] = useState({ isOpen: false, number: 0 })
  if (isOpen !== opening.isOpen) setOpening({ isOpen, number: opening.number + Number(isOpen) })
  // Blueprint stores the focused element later, when a field of the dialog may already have the focus.
  useInsertionEffect(() => {
    if (isOpen) opener.current = document.activeElement
  }, [isOpen])
  return (
    <BlueprintDialog
      {...props}
      isOpen={isOpen}
      shouldReturnFocusOnClose={false}
      onClosed={node => {
        if (opener.current instanceof HTMLElement) opener.current.focus()
        props.onClosed?.(node)
      }}
    >
      <Fragment key={opening.number}>{children}</Fragment>
    </BlueprintDialog>
  )
}
