import { paths } from '@iodine/contracts'
import { type QueryClient, QueryClientProvider, queryClientFor } from '@iodine/mfe-kit/query'
import { Loading, NotFound } from '@iodine/ui'
import { createPath, type Navigator, Route, Router, Routes } from '@iodine/ui/router'
import * as React from 'react'
import { type ComponentType, Suspense, useEffect, useMemo } from 'react'
import * as ReactDOMClient from 'react-dom/client'
import singleSpaReact from 'single-spa-react'
import { HOST_CONTRACT_VERSION, type HostProps, type RemoteParcel } from './host-contract'
import { SectionLink } from './section-link'
import { HostContext } from './use-host'

/** The pages of a section by relative path: `{ '/': UsersPage, '/profile/:userId': ProfilePage }`. */
export type SectionPages = Readonly<Record<string, ComponentType>>

/**
 * Defines a section by its pages. The single-spa lifecycles provide the host's props (`useHost`), a router based at the
 * section's path, and a query client that is kept between visits. Any other path below the section shows 'Page Not
 * Found'.
 */
export function defineParcel(pages: SectionPages): RemoteParcel {
  const queryClient = queryClientFor()
  const lifecycles = singleSpaReact<HostProps>({
    React,
    ReactDOMClient,
    renderType: 'createRoot',
    rootComponent: host => <Section host={host} pages={pages} cache={queryClient(host.session.user.id)} />,
    errorBoundary: (error, _info, { onCrash, session }) => (
      <Crashed error={error} onCrash={onCrash} cache={queryClient(session.user.id)} />
    ),
  })
  return { ...lifecycles, hostContract: HOST_CONTRACT_VERSION } as RemoteParcel
}

interface SectionProps {
  host: HostProps
  pages: SectionPages
  cache: QueryClient
}

function Section({ host, pages, cache }: SectionProps) {
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
      <QueryClientProvider client={cache}>
        <Router
          basename={host.basePath}
          location={host.location}
          navigationType={host.navigationType}
          navigator={navigator}
        >
          <Suspense fallback={<Loading />}>
            <Routes>
              {Object.entries(pages).map(([path, Page]) => (
                <Route key={path} path={path} element={<Page />} />
              ))}
              <Route path="*" element={<Missing />} />
            </Routes>
          </Suspense>
        </Router>
      </QueryClientProvider>
    </HostContext>
  )
}

const Missing = () => (
  <NotFound>
    <SectionLink to={paths.overview()}>Go to the dashboard</SectionLink>
  </NotFound>
)

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
