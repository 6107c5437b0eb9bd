import { lazy } from 'react'
import { preloadSection } from '../remotes/remotes'
import { TOKEN_KEY } from '../session/session-store'
import { findSection } from './sections'

const loadDashboard = () => import('./Dashboard').then(module => ({ default: module.Dashboard }))
const loadLogin = () => import('../pages/Login').then(module => ({ default: module.Login }))
const loadAccountLink = () => import('../pages/AccountLink').then(module => ({ default: module.AccountLink }))
const loadMagicLink = () => import('../pages/MagicLink').then(module => ({ default: module.MagicLink }))
const loadUsername = () =>
  import('../pages/SetupUsername').then(module => ({ default: module.SetupUsername }))
const loadPrivacy = () => import('../pages/PrivacyPolicy').then(module => ({ default: module.PrivacyPolicy }))
const loadTerms = () => import('../pages/TermsOfService').then(module => ({ default: module.TermsOfService }))
const loadVerify = () => import('../pages/Verify').then(module => ({ default: module.Verify }))

export const DashboardPage = lazy(loadDashboard)
export const LoginPage = lazy(loadLogin)
export const AccountLinkPage = lazy(loadAccountLink)
export const MagicLinkPage = lazy(loadMagicLink)
export const UsernamePage = lazy(loadUsername)
export const PrivacyPolicyPage = lazy(loadPrivacy)
export const TermsPage = lazy(loadTerms)
export const VerifyPage = lazy(loadVerify)

const LOADERS: Record<string, () => Promise<unknown>> = {
  login: loadLogin,
  'magic-login': loadMagicLink,
  'account-link': loadAccountLink,
  auth: loadMagicLink,
  'setup-username': loadUsername,
  'privacy-policy': loadPrivacy,
  'terms-of-service': loadTerms,
  verify: loadVerify,
}

/** Prefetches the page of `pathname`, in parallel with the settings and the session. */
export function prefetchPage(pathname: string): void {
  const [first = '', second = ''] = pathname.split('/').filter(Boolean)
  const signedIn = localStorage.getItem(TOKEN_KEY) !== null
  const load =
    signedIn && (first === 'dashboard' || first === 'login') ? loadDashboard : LOADERS[first || 'login']
  // The rendered page reports a failed load.
  load?.().catch(() => {})
  const remote = first === 'dashboard' && signedIn ? findSection(second)?.remote : undefined
  if (remote) preloadSection(remote)
}
