import { paths } from '@iodine/contracts'
import { Loading, Page } from '@iodine/ui'
import { Navigate, Route, Routes } from '@iodine/ui/router'
import { Suspense } from 'react'
import { NotFound } from '../pages/NotFound'
import { ErrorBoundary } from './ErrorBoundary'
import { DASHBOARD, PAGES } from './pages'

export function App() {
  return (
    <ErrorBoundary>
      <Suspense fallback={<Loading />}>
        <Routes>
          <Route path="/" element={<Navigate to="/login" replace />} />
          {Object.entries(PAGES).map(([path, { Page }]) => (
            <Route key={path} path={path} element={<Page />} />
          ))}
          <Route path="/dashboard" element={<Navigate to={paths.overview()} replace />} />
          <Route path="/dashboard/:section/*" element={<DASHBOARD.Page />} />
          <Route
            path="*"
            element={
              <main>
                <Page>
                  <NotFound />
                </Page>
              </main>
            }
          />
        </Routes>
      </Suspense>
    </ErrorBoundary>
  )
}
