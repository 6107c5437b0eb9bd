import { paths } from '@iodine/contracts'
import { Loading, Page } from '@iodine/ui'
import { Navigate, Route, Routes } from '@iodine/ui/router'
import { Suspense } from 'react'
import { NotFound } from '../pages/NotFound'
import { ErrorBoundary } from './ErrorBoundary'
import {
  AccountLinkPage,
  DashboardPage,
  LoginPage,
  MagicLinkPage,
  PrivacyPolicyPage,
  TermsPage,
  UsernamePage,
  VerifyPage,
} from './pages'

export function App() {
  return (
    <ErrorBoundary>
      <Suspense fallback={<Loading />}>
        <Routes>
          <Route path="/" element={<Navigate to="/login" replace />} />
          <Route path="/login" element={<LoginPage />} />
          <Route path="/magic-login" element={<MagicLinkPage />} />
          <Route path="/auth/verify" element={<MagicLinkPage />} />
          <Route path="/account-link" element={<AccountLinkPage />} />
          <Route path="/setup-username" element={<UsernamePage />} />
          <Route path="/privacy-policy" element={<PrivacyPolicyPage />} />
          <Route path="/terms-of-service" element={<TermsPage />} />
          <Route path="/verify" element={<VerifyPage />} />
          <Route path="/dashboard" element={<Navigate to={paths.overview()} replace />} />
          <Route path="/dashboard/:section/*" element={<DashboardPage />} />
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
