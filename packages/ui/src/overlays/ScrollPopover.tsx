import { PopoverNext, type PopoverNextProps } from '@blueprintjs/core'
import type { ReactNode } from 'react'
import styles from './ScrollPopover.module.css'

/** Lets the popover overlap its button: a low window has no room above or below it. */
const MIDDLEWARE: NonNullable<PopoverNextProps['middleware']> = { shift: { crossAxis: true, padding: 4 } }

export interface ScrollPopoverProps {
  placement: 'bottom-start' | 'bottom-end'
  content: ReactNode
  /** The button that opens it. */
  children: ReactNode
}

/** A popover that scrolls its whole content and stays inside the window at any size. */
export function ScrollPopover({ placement, content, children }: ScrollPopoverProps) {
  return (
    <PopoverNext
      placement={placement}
      middleware={MIDDLEWARE}
      content={<div className={styles.content}>{content}</div>}
    >
      {children}
    </PopoverNext>
  )
}
