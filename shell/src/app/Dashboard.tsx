import { Loading } from '@iodine/ui'
import { Navigate, NavLink, useParams } from '@iodine/ui/router'
import { RemoteOutlet } from '../remotes/RemoteOutlet'
import { useSession } from './HostProvider'
import { SECTIONS } from './sections'

export function Dashboard() {
  const { user, loading } = useSession()
  const { section: id } = useParams()
  if (loading) return <Loading label="Loading…" />
  if (!user) return <Navigate to="/login" replace />
  const section = SECTIONS.find(candidate => candidate.id === id)
  return (
    <>
      <nav>
        {SECTIONS.map(({ id, label, icon }) => (
          <NavLink key={id} to={`/dashboard/${id}`}>
            {icon} {label}
          </NavLink>
        ))}
      </nav>
      <main>
        {section?.remote && (
          <RemoteOutlet
            key={section.id}
            remote={section.remote}
            basePath={`/dashboard/${section.id}`}
            title={section.label}
          />
        )}
      </main>
    </>
  )
}
