import { useHost } from '@iodine/mfe-kit'
import { createQueryClient, QueryClientProvider } from '@iodine/mfe-kit/query'
import { Page, PageHeader } from '@iodine/ui'
import { useState } from 'react'
import { type RoutedTab, RoutedTabs, useRoutedTab } from '../RoutedTabs'
import { AuditLog } from './AuditLog'
import { BetaCodes } from './BetaCodes'
import { People } from './People'
import { Reports } from './Reports'
import { Subscriptions } from './Subscriptions'
import { System } from './System'

interface AdminTab extends RoutedTab {
  title: string
  subtitle: string
}

const TABS: readonly [AdminTab, ...AdminTab[]] = [
  {
    id: 'beta-codes',
    label: 'Beta codes',
    title: 'Beta Code Management',
    subtitle: 'Codes that invite new users while the app is in beta.',
    panel: <BetaCodes />,
  },
  {
    id: 'people',
    label: 'People',
    title: 'People',
    subtitle: 'Accounts, their sessions and their limits.',
    panel: <People />,
  },
  {
    id: 'system',
    label: 'System',
    title: 'System',
    subtitle: 'Services, background work and backups.',
    panel: <System />,
  },
  {
    id: 'reports',
    label: 'Reports',
    title: 'Reports in review',
    subtitle: 'Public reports that wait for an administrator’s approval, oldest first.',
    panel: <Reports />,
  },
  {
    id: 'audit-log',
    label: 'Audit log',
    title: 'Audit log',
    subtitle: 'Changes to other users’ content, bulk changes and administration. Kept for 12 months.',
    panel: <AuditLog />,
  },
  {
    id: 'subscriptions',
    label: 'Subscriptions',
    title: 'Subscriptions',
    subtitle: 'Feeds of other systems that are pulled into campaigns on a schedule.',
    panel: <Subscriptions />,
  },
]

/** The administrators' page; 'Access denied' for other users. */
export function Admin() {
  const { is_admin: isAdmin } = useHost().session.user
  const [queryClient] = useState(createQueryClient)
  const { title, subtitle } = useRoutedTab(TABS)
  if (!isAdmin) {
    return (
      <Page>
        <PageHeader title="Access denied" subtitle="You don't have permission to access this page." />
      </Page>
    )
  }
  return (
    <QueryClientProvider client={queryClient}>
      <Page>
        <PageHeader title={title} subtitle={subtitle} />
        <RoutedTabs id="admin" tabs={TABS} />
      </Page>
    </QueryClientProvider>
  )
}
