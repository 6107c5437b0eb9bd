import { createQueryClient } from '@iodine/mfe-kit'
import { QueryClientProvider } from '@iodine/mfe-kit/query'
import { Page, PageHeader, Tab, Tabs } from '@iodine/ui'
import { useSearchParams } from '@iodine/ui/router'
import { type ComponentType, useState } from 'react'
import { useUser } from '../../app/HostProvider'
import { BetaCodes } from './BetaCodes'
import { Subscriptions } from './Subscriptions'

interface AdminTab {
  /** Value of `?tab=`. */
  id: string
  label: string
  title: string
  subtitle: string
  Panel: ComponentType
}

const BETA_CODES: AdminTab = {
  id: 'beta-codes',
  label: 'Beta codes',
  title: 'Beta Code Management',
  subtitle: 'Codes that invite new users while the app is in beta.',
  Panel: BetaCodes,
}

const TABS: readonly AdminTab[] = [
  BETA_CODES,
  {
    id: 'subscriptions',
    label: 'Subscriptions',
    title: 'Subscriptions',
    subtitle: 'Feeds of other tools that are pulled into campaigns by the clock.',
    Panel: Subscriptions,
  },
]

/** The administrators' page, 'Access denied' for other users. The URL says which tab is open. */
export function Admin() {
  const { is_admin: isAdmin } = useUser()
  const [queryClient] = useState(createQueryClient)
  const [search, setSearch] = useSearchParams()
  if (!isAdmin) {
    return (
      <Page>
        <PageHeader title="Access denied" subtitle="You don't have permission to access this page." />
      </Page>
    )
  }
  const selected = TABS.find(({ id }) => id === search.get('tab')) ?? BETA_CODES
  return (
    <QueryClientProvider client={queryClient}>
      <Page>
        <PageHeader title={selected.title} subtitle={selected.subtitle} />
        <Tabs
          id="admin"
          selectedTabId={selected.id}
          onChange={id => setSearch(id === BETA_CODES.id ? {} : { tab: String(id) })}
          renderActiveTabPanelOnly
          animate={false}
        >
          {TABS.map(({ id, label, Panel }) => (
            <Tab key={id} id={id} title={label} panel={<Panel />} />
          ))}
        </Tabs>
      </Page>
    </QueryClientProvider>
  )
}
