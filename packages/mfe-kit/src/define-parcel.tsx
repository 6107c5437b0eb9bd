import { type QueryClient, QueryClientProvider } from '@iodine/mfe-kit/query'
import { Loading } from '@iodine/ui'
import { createPath, type Navigator, Router } from '@iodine/ui/router'
import * as React from 'react'
import { type ComponentType, createContext, Suspense, use, useEffect, useMemo } from 'react'
import * as ReactDOMClient from 'react-dom/client'
import singleSpaReact from 'single-spa-react'
import { HOST_CONTRACT_VERSION, type HostProps, type RemoteParcel } from './host-contract'
import { queryClientFor } from './query-client'

const HostContext = createContext<HostProps | null>(null)

/** The host's props, for components of a section. */
export function useHost(): HostProps {
  const host = use(HostContext)
  if (!host) throw new Error('useHost() works only below defineParcel()')
  return host
}

/**
 * Defines a section by a React component: single-spa lifecycles that give `Root` the host's props
 * (`useHost`), a router based at the section's path, and a query client that is kept between visits.
 */
export function defineParcel(Root: ComponentType): RemoteParcel {
  const queryClient = queryClientFor()
  const ParcelRoot = (host: HostProps) => {
    const { navigate } = host
    const navigator = useMemo<Navigator>(
      () => ({
        createHref: to => (typeof to === 'string' ? to : createPath(to)),
        go: delta => navigate(delta),
        push: (to, state, options) => navigate(to, { ...options, state }),
        replace: (to, state, options) => navigate(to, { ...options, state, replace: true }),
      }),
      [navigate],
    )
    return (
      <HostContext value={host}>
        <QueryClientProvider client={queryClient(host.session.user.id)}>
          <Router
            basename={host.basePath}
            location={host.location}
            navigationType={host.navigationType}
            navigator={navigator}
          >
            <Suspense fallback={<Loading />}>
              <Root />
            </Suspense>
          </Router>
        </QueryClientProvider>
      </HostContext>
    )
  }
  const lifecycles = singleSpaReact<HostProps>({
    React,
    ReactDOMClient,
    renderType: 'createRoot',
    rootComponent: ParcelRoot,
    errorBoundary: (error, _info, { onCrash, session }) => (
      <Crashed error={error} onCrash={onCrash} cache={queryClient(session.user.id)} />
    ),
  })
  return { ...lifecycles, hostContract: HOST_CONTRACT_VERSION } as RemoteParcel
}

interface CrashedProps {
  error: Error
  onCrash: HostProps['onCrash']
  cache: QueryClient
}

function Crashed({ error, onCrash, cache }: CrashedProps) {
  useEffect(() => {
    // A retry must not start with the cached data that crashed the page.
    cache.clear()
    onCrash(error)
  }, [error, onCrash, cache])
  return null
}
