import { Dialog as BlueprintDialog, type DialogProps } from '@blueprintjs/core'
import { useRef } from 'react'

/**
 * Blueprint's dialog, which gives the focus back to what had it before. Blueprint itself looks for that only when a
 * field inside may already have taken the focus.
 */
export function Dialog(props: DialogProps) {
  const wasOpen = useRef(false)
  const opener = useRef<Element>(null)
  if (props.isOpen && !wasOpen.current) opener.current = document.activeElement
  wasOpen.current = props.isOpen ?? false
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
