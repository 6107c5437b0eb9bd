import type { BrowserConfig } from '@iodine/contracts'
import type { ApiClient, HostProps, Toast } from '@iodine/mfe-kit'
import { createApiClient, HostContext, type Remotes } from '@iodine/mfe-kit/host'
import { useLatest } from '@iodine/ui'
import { type NavigateOptions, type To, useLocation, useNavigate, useNavigationType } from '@iodine/ui/router'
import {
  createContext,
  type ReactNode,
  use,
  useCallback,
  useEffect,
  useMemo,
  useState,
  useSyncExternalStore,
} from 'react'
import {
  createSessionStore,
  type SessionState,
  type SessionStore,
  type SessionUser,
} from '../session/session-store'

/** The shell's services. Properties keep their identity until the page is unloaded. */
export interface Host {
  api: ApiClient
  config: BrowserConfig
  session: SessionStore
  navigate: (to: To | number, options?: NavigateOptions) => void
  notify: (toast: Toast) => void
  remotes: Pick<Remotes, 'load'>
}

const ShellContext = createContext<Host | null>(null)

/** Returns the shell's services, for pages before the sign-in. Pages of the dashboard use mfe-kit's `useHost`. */
export function useShell(): Host {
  const shell = use(ShellContext)
  if (!shell) throw new Error('useShell() works only below HostProvider')
  return shell
}

/** Returns the current state of the session. */
export function useSession(): SessionState {
  const { session } = useShell()
  return useSyncExternalStore(session.subscribe, session.getState)
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
  return <ShellContext value={host}>{children}</ShellContext>
}

export interface SectionHostProps {
  user: SessionUser
  /** Path of the section. */
  basePath: string
  children: ReactNode
}

/** Provides a section of the dashboard with its host: the shell's pages through `useHost`, remotes through props. */
export function SectionHost({ user, basePath, children }: SectionHostProps) {
  const { api, config, session, navigate: go, notify } = useShell()
  // A previous section is not unmounted immediately. A late change of its URL parameters must not override the new URL.
  const navigate = useCallback<typeof go>(
    (to, options) => isWithin(basePath) && go(to, options),
    [basePath, go],
  )
  const location = useLocation()
  const navigationType = useNavigationType()
  const hostSession = useMemo(
    () => ({ user, refresh: () => session.reload().catch(() => {}) }),
    [user, session],
  )
  const host = useMemo<HostProps>(
    () => ({
      basePath,
      location,
      navigationType,
      navigate,
      session: hostSession,
      api,
      notify,
      config,
      onCrash,
    }),
    [basePath, location, navigationType, navigate, hostSession, api, notify, config],
  )
  return <HostContext value={host}>{children}</HostContext>
}

const isWithin = (path: string) => `${window.location.pathname}/`.startsWith(`${path}/`)

/** Rethrows for the error boundary of the shell. */
const onCrash = (error: Error) => {
  throw error
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
