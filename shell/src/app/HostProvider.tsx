import type { BrowserConfig, Profile } from '@iodine/contracts'
import type { ApiClient, Toast } from '@iodine/mfe-kit'
import { createApiClient, type Remotes } from '@iodine/mfe-kit/host'
import { useLatest } from '@iodine/ui'
import { type NavigateOptions, type To, useNavigate } from '@iodine/ui/router'
import { createContext, type ReactNode, use, useEffect, useState, useSyncExternalStore } from 'react'
import { createSessionStore, type SessionState, type SessionStore } from '../session/session-store'

/** The shell's services for its own pages. Members keep their identity until the page is unloaded. */
export interface Host {
  api: ApiClient
  config: BrowserConfig
  session: SessionStore
  navigate: (to: To | number, options?: NavigateOptions) => void
  notify: (toast: Toast) => void
  remotes: Pick<Remotes, 'load'>
}

const HostContext = createContext<Host | null>(null)

export function useHost(): Host {
  const host = use(HostContext)
  if (!host) throw new Error('useHost() works only below HostProvider')
  return host
}

/** The current state of the session. */
export function useSession(): SessionState {
  const { session } = useHost()
  return useSyncExternalStore(session.subscribe, session.getState)
}

/** The signed-in user. Throws outside of the route guard. */
export function useUser(): Profile {
  const { user } = useSession()
  if (!user) throw new Error('useUser() works only below the route guard')
  return user
}

export interface HostProviderProps {
  config: BrowserConfig
  remotes: Host['remotes']
  children: ReactNode
}

/** Creates the host once: session, API client, notifications, remotes. */
export function HostProvider({ config, remotes, children }: HostProviderProps) {
  const navigate = useNavigate()
  const latestNavigate = useLatest(navigate)
  const [host] = useState(() =>
    createHost(config, remotes, (to, options) => go(latestNavigate.current, to, options)),
  )
  useEffect(() => host.session.start(), [host])
  return <HostContext value={host}>{children}</HostContext>
}

const go = (navigate: ReturnType<typeof useNavigate>, to: To | number, options?: NavigateOptions) =>
  void (typeof to === 'number' ? navigate(to) : navigate(to, options))

function createHost(config: BrowserConfig, remotes: Host['remotes'], navigate: Host['navigate']): Host {
  const api = createApiClient({
    baseUrl: '/api/v1',
    getToken: () => session.getToken(),
    onUnauthorized: refusedToken => {
      if (session.expire(refusedToken) && !window.location.pathname.startsWith('/login')) {
        navigate('/login', { replace: true })
      }
    },
  })
  const session = createSessionStore(async () => {
    const [profile, { delete_at }] = await Promise.all([
      api.call('GET /profile/me'),
      api.call('GET /profile/deletion').catch(() => ({ delete_at: null })),
    ])
    return { ...profile, delete_at }
  }, window.localStorage)
  return { api, config, session, navigate, notify, remotes }
}

/** Shows a toast. The overlays' code is loaded on the first call. */
const notify = (toast: Toast) => {
  void import('@iodine/ui/overlays').then(({ showToast }) => showToast(toast))
}
