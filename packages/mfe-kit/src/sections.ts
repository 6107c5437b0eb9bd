import { type AppPath, paths } from '@iodine/contracts'
import type { NavigateOptions } from '@iodine/ui/router'
import { useMemo } from 'react'
import type { Toast } from './host-contract'
import { useHost } from './use-host'

/** Ways to other pages, for what is no link. */
export interface Sections {
  open: (page: AppPath, options?: NavigateOptions) => void
  /** What a toast offers after an IOD was created. */
  afterCreation: (iodId: string) => NonNullable<Toast['actions']>
}

/** The ways from this page to the others. Links are `SectionLink`. */
export function useSections(): Sections {
  const { navigate } = useHost()
  return useMemo(() => {
    const open: Sections['open'] = (page, options) => navigate(page, options)
    return {
      open,
      afterCreation: iodId => [
        { text: 'View', onClick: () => open(paths.iod(iodId)) },
        { text: 'Add to campaign', onClick: () => open(paths.iod(iodId, { add: 'campaign' })) },
      ],
    }
  }, [navigate])
}
