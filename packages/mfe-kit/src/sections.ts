import { useMemo } from 'react'
import { useHost } from './define-parcel'
import type { Toast } from './host-contract'

/** The properties of a link to another section. */
export interface SectionLink {
  href: string
  onClick: (event: { preventDefault: () => void } & Partial<ModifierKeys>) => void
}
type ModifierKeys = Record<'ctrlKey' | 'metaKey' | 'shiftKey' | 'altKey', boolean>

/** Ways to the other sections. */
export interface Sections {
  /** Opens a path below the sections' root, such as `iods/<id>`. */
  open: (path: string) => void
  /** A link to such a path. With a modifier key, or the middle button, the browser follows it itself. */
  link: (path: string) => SectionLink
  /** What a toast offers after an IOD was created. */
  afterCreation: (iodId: string) => NonNullable<Toast['actions']>
}

/** The ways from this section to the others. */
export function useSections(): Sections {
  const { basePath, navigate } = useHost()
  return useMemo(() => {
    const root = basePath.slice(0, basePath.lastIndexOf('/'))
    const open = (path: string) => navigate(`${root}/${path}`)
    return {
      open,
      link: path => ({
        href: `${root}/${path}`,
        onClick: event => {
          if (event.ctrlKey || event.metaKey || event.shiftKey || event.altKey) return
          event.preventDefault()
          open(path)
        },
      }),
      afterCreation: iodId => [
        { text: 'View', onClick: () => open(`iods/${iodId}`) },
        { text: 'Add to campaign', onClick: () => open(`iods/${iodId}?add=campaign`) },
      ],
    }
  }, [basePath, navigate])
}
