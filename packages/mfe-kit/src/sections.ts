import { useMemo } from 'react'
import { useHost } from './define-parcel'
import type { Toast } from './host-contract'
import { useSectionPath } from './section-link'

/** Ways to the other sections, for what is no link. */
export interface Sections {
  /** Opens a page by the section's id and what follows: 'iods/ID'. */
  open: (page: string) => void
  /** What a toast offers after an IOD was created. */
  afterCreation: (iodId: string) => NonNullable<Toast['actions']>
}

/** The ways from this section to the others. Links are `SectionLink`. */
export function useSections(): Sections {
  const { navigate } = useHost()
  const pathOf = useSectionPath()
  return useMemo(() => {
    const open = (page: string) => navigate(pathOf(page))
    return {
      open,
      afterCreation: iodId => [
        { text: 'View', onClick: () => open(`iods/${iodId}`) },
        { text: 'Add to campaign', onClick: () => open(`iods/${iodId}?add=campaign`) },
      ],
    }
  }, [navigate, pathOf])
}
