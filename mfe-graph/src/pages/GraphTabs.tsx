import { Tab, Tabs } from '@iodine/ui'
import { useSearchParams } from '@iodine/ui/router'
import type { ReactNode } from 'react'

export const CO_SHARES = 'co-shares'

export interface GraphTabsProps {
  selected: 'triplets' | typeof CO_SHARES
  children: ReactNode
}

/** The tabs of the section's two graphs. The URL contains the selected tab. */
export function GraphTabs({ selected, children }: GraphTabsProps) {
  const [, setSearch] = useSearchParams()
  const panel = <>{children}</>
  return (
    <Tabs
      id="graphs"
      selectedTabId={selected}
      onChange={id => setSearch(id === CO_SHARES ? { tab: CO_SHARES } : {})}
      renderActiveTabPanelOnly
      animate={false}
    >
      <Tab id="triplets" title="Triplets" panel={panel} />
      <Tab id={CO_SHARES} title="Co-shares" panel={panel} />
    </Tabs>
  )
}
