import { useHost } from '@iodine/mfe-kit'
import { createQueryClient, QueryClientProvider } from '@iodine/mfe-kit/query'
import { Page, PageHeader, Tab, Tabs } from '@iodine/ui'
import { useSearchParams } from '@iodine/ui/router'
import { type ComponentType, useState } from 'react'
import styles from './Admin.module.css'
import { AuditLog } from './AuditLog'
import { BetaCodes } from './BetaCodes'
import { People } from './People'
import { Subscriptions } from './Subscriptions'
import { System } from './System'

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
    id: 'people',
    label: 'People',
    title: 'People',
    subtitle: 'Accounts, their sessions and their limits.',
    Panel: People,
  },
  {
    id: 'system',
    label: 'System',
    title: 'System',
    subtitle: 'The parts of the product and their background work.',
    Panel: System,
  },
  {
    id: 'audit-log',
    label: 'Audit log',
    title: 'Audit log',
    subtitle: 'What is done to others’ things or in bulk, by whom and when. Kept for 12 months.',
    Panel: AuditLog,
  },
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
  const { is_admin: isAdmin } = useHost().session.user
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
          className={styles.tabs}
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
