import { type AnchorHTMLAttributes, type MouseEvent, useCallback } from 'react'
import { useHost } from './define-parcel'

/** Returns a function that makes the full path of another section's page: 'iods/ID' becomes '/dashboard/iods/ID'. */
export function useSectionPath(): (page: string) => string {
  const { basePath } = useHost()
  return useCallback(page => `${basePath.slice(0, basePath.lastIndexOf('/'))}/${page}`, [basePath])
}

export interface SectionLinkProps extends Omit<AnchorHTMLAttributes<HTMLAnchorElement>, 'href' | 'onClick'> {
  /** The page with its query, from the section's id on: 'campaigns/ID'. */
  to: string
}

/** A link to a page of another section. Links within a section are the router's `Link`. */
export function SectionLink({ to, children, ...anchor }: SectionLinkProps) {
  const { navigate } = useHost()
  const path = useSectionPath()(to)
  const open = (event: MouseEvent) => {
    if (event.ctrlKey || event.metaKey || event.shiftKey || event.altKey) return
    event.preventDefault()
    navigate(path)
  }
  return (
    <a {...anchor} href={path} onClick={open}>
      {children}
    </a>
  )
}
