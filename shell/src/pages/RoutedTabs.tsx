import { Tab, Tabs } from '@iodine/ui'
import { useSearchParams } from '@iodine/ui/router'
import type { ReactElement } from 'react'
import styles from './RoutedTabs.module.css'

export interface RoutedTab {
  /** Value of the query parameter `tab`; the first tab has none. */
  id: string
  label: string
  panel: ReactElement
}

type RoutedTabList<T extends RoutedTab> = readonly [T, ...T[]]

/** Returns the tab that the URL selects; the first, if it selects none or an unknown one. */
export const useRoutedTab = <T extends RoutedTab>(tabs: RoutedTabList<T>): T => {
  const [search] = useSearchParams()
  return tabs.find(({ id }) => id === search.get('tab')) ?? tabs[0]
}

/** Tabs of a page. The URL stores which one is open. */
export function RoutedTabs({ id, tabs }: { id: string; tabs: RoutedTabList<RoutedTab> }) {
  const [, setSearch] = useSearchParams()
  return (
    <Tabs
      id={id}
      className={styles.tabs}
      selectedTabId={useRoutedTab(tabs).id}
      onChange={tab => setSearch(tab === tabs[0].id ? {} : { tab: String(tab) })}
      renderActiveTabPanelOnly
      animate={false}
    >
      {tabs.map(({ id, label, panel }) => (
        <Tab key={id} id={id} title={label} panel={panel} />
      ))}
    </Tabs>
  )
}
