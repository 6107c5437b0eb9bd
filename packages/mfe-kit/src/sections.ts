import { type AppPath, paths } from '@iodine/contracts'
import type { NavigateOptions } from '@iodine/ui/router'
import { useMemo } from 'react'
import type { Toast } from './host-contract'
import { useHost } from './use-host'

/** Functions that navigate to other pages, for elements that are no links. */
export interface Sections {
  open: (page: AppPath, options?: NavigateOptions) => void
  /** Returns the toast buttons offered after an IOD was created. */
  afterCreation: (iodId: string) => NonNullable<Toast['actions']>
}

/** Returns the navigation functions of this section. For links, use `SectionLink`. */
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
