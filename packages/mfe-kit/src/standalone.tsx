import '@iodine/ui/blueprint.css'
import '@iodine/ui/theme.css'
import { type BrowserConfig, PRODUCT_NAME } from '@iodine/contracts'
import { BrowserRouter, useLocation, useNavigate, useNavigationType } from '@iodine/ui/router'
import { useEffect, useMemo, useRef } from 'react'
import { createRoot } from 'react-dom/client'
import { createApiClient, type MountedParcel, mountParcel } from './host'
import type { HostProps, RemoteParcel } from './host-contract'

const TOKEN_KEY = 'access_token'

/**
 * Runs one section without the shell, on its dev server, against an app started by `npm start`. The session is the
 * token in local storage. If it is missing, the page prompts for a token, which can be copied from a signed-in shell.
 */
export async function runStandalone(parcel: RemoteParcel): Promise<void> {
  if (!localStorage.getItem(TOKEN_KEY)) {
    const token = window.prompt('Access token (local storage of a signed-in shell, key access_token)')
    if (token) localStorage.setItem(TOKEN_KEY, token.trim())
  }
  const api = createApiClient({
    baseUrl: '/api/v1',
    getToken: () => localStorage.getItem(TOKEN_KEY),
    onUnauthorized: () => localStorage.removeItem(TOKEN_KEY),
  })
  const user = await api.call('GET /profile/me')
  const config = await fetch('/config.json').then(response => response.json() as Promise<BrowserConfig>)
  const session: HostProps['session'] = {
    user,
    refresh: async () => window.location.reload(),
  }
  const notify: HostProps['notify'] = toast =>
    void import('@iodine/ui/overlays').then(({ showToast }) => showToast(toast))

  document.title = PRODUCT_NAME
  const root = document.body.appendChild(document.createElement('main'))
  createRoot(root).render(
    <BrowserRouter>
      <Host parcel={parcel} services={{ session, api, notify, config }} />
    </BrowserRouter>,
  )
}

type Services = Pick<HostProps, 'session' | 'api' | 'notify' | 'config'>

function Host({ parcel, services }: { parcel: RemoteParcel; services: Services }) {
  const container = useRef<HTMLDivElement>(null)
  const mounted = useRef<MountedParcel>(null)
  const navigateTo = useNavigate()
  const location = useLocation()
  const navigationType = useNavigationType()
  const props = useMemo<HostProps>(
    () => ({
      ...services,
      basePath: '',
      location,
      navigationType,
      navigate: (to, options) => void (typeof to === 'number' ? navigateTo(to) : navigateTo(to, options)),
      onCrash: error => {
        throw error
      },
    }),
    [services, location, navigationType, navigateTo],
  )
  const first = useRef(props)
  useEffect(() => {
    const own = mountParcel(parcel, container.current as HTMLElement, first.current)
    mounted.current = own
    return () => void own.unmount()
  }, [parcel])
  useEffect(() => mounted.current?.update(props), [props])
  return <div ref={container} />
}
