import { paths, useSections } from '@iodine/mfe-kit'
import { Tab, Tabs } from '@iodine/ui'
import type { ReactNode } from 'react'

export interface NarrativesTabsProps {
  selected: 'texts' | 'canonical'
  children: ReactNode
}

/** The tabs of the section: texts with their triplets, and canonical narratives. */
export function NarrativesTabs({ selected, children }: NarrativesTabsProps) {
  const { open } = useSections()
  const panel = <>{children}</>
  return (
    <Tabs
      id="narratives"
      selectedTabId={selected}
      onChange={id => open(id === 'canonical' ? paths.canonicalNarratives() : paths.narratives())}
      renderActiveTabPanelOnly
      animate={false}
    >
      <Tab id="texts" title="Texts" panel={panel} />
      <Tab id="canonical" title="Canonical narratives" panel={panel} />
    </Tabs>
  )
}
