import { paths } from '@iodine/contracts'
import { Loading } from '@iodine/ui'
import { Navigate, useParams } from '@iodine/ui/router'
import { Suspense } from 'react'
import { NotFound } from '../pages/NotFound'
import { Overview } from '../pages/Overview'
import { ScheduledDeletion } from '../pages/ScheduledDeletion'
import { RemoteOutlet } from '../remotes/RemoteOutlet'
import { SearchProvider } from '../search/SearchProvider'
import { Frame } from './Frame'
import { SectionHost, useSession, useShell } from './HostProvider'
import { OWN_PAGES } from './own-pages'
import { allSections, findSection } from './sections'

/**
 * The dashboard. Redirects to the login page if there is no session. An account scheduled for deletion only sees the
 * question whether to keep it.
 */
export function Dashboard() {
  const { user, loading } = useSession()
  const { section = '', '*': rest } = useParams()
  if (loading) {
    return (
      <main>
        <Loading label="Loading…" delay={0} />
      </main>
    )
  }
  if (!user) return <Navigate to="/login" replace />
  if (user.delete_at !== null) return <ScheduledDeletion deleteAt={user.delete_at} />
  return (
    <SectionHost user={user} basePath={paths.section(section)}>
      <SearchProvider>
        <Frame section={section}>
          <Suspense fallback={<Loading />}>
            <SectionContent id={section} rest={rest} />
          </Suspense>
        </Frame>
      </SearchProvider>
    </SectionHost>
  )
}

/** @param rest the path after the section; remotes have subpages */
function SectionContent({ id, rest }: { id: string; rest: string | undefined }) {
  const { config } = useShell()
  const section = findSection(id, allSections(config))
  if (section?.remote) {
    return <RemoteOutlet key={id} remote={section.remote} title={section.label} />
  }
  const Page = rest ? undefined : id === 'overview' ? Overview : OWN_PAGES[id]?.Page
  return Page ? <Page /> : <NotFound />
}
