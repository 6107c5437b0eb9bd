import type { AppPath } from '@iodine/contracts'
import type { NavigateOptions } from '@iodine/ui/router'
import type { AnchorHTMLAttributes, MouseEvent } from 'react'
import { useHost } from './use-host'

/** Returns whether a click ends a text selection, so that the link must not be followed. */
export const isSelecting = ({ detail }: MouseEvent): boolean =>
  detail > 0 && window.getSelection()?.isCollapsed === false

export interface SectionLinkProps extends Omit<AnchorHTMLAttributes<HTMLAnchorElement>, 'href'> {
  /** A page of `paths`. */
  to: AppPath
  /** State of the new history entry. */
  state?: NavigateOptions['state']
}

/**
 * A link to a page of any section. Use the router's `Link` for the same page with other query parameters. A click whose
 * default `onClick` prevents does not navigate.
 */
export function SectionLink({ to, state, onClick, children, ...anchor }: SectionLinkProps) {
  const { navigate } = useHost()
  const open = (event: MouseEvent<HTMLAnchorElement>) => {
    onClick?.(event)
    if (event.defaultPrevented || event.ctrlKey || event.metaKey || event.shiftKey || event.altKey) return
    event.preventDefault()
    navigate(to, { state })
  }
  return (
    <a rel="noopener" {...anchor} href={to} onClick={open}>
      {children}
    </a>
  )
}
