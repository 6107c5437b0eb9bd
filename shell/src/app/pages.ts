import { preloadSection } from '../remotes/remotes'
import { TOKEN_KEY } from '../session/session-store'
import { lazyPage } from './lazy-page'
import { findSection } from './sections'

export const DASHBOARD = lazyPage(async () => (await import('./Dashboard')).Dashboard)
const MAGIC_LINK = lazyPage(async () => (await import('../pages/MagicLink')).MagicLink)

/** The pages outside the dashboard, by path. */
export const PAGES = {
  '/login': lazyPage(async () => (await import('../pages/Login')).Login),
  '/magic-login': MAGIC_LINK,
  '/auth/verify': MAGIC_LINK,
  '/account-link': lazyPage(async () => (await import('../pages/AccountLink')).AccountLink),
  '/setup-username': lazyPage(async () => (await import('../pages/SetupUsername')).SetupUsername),
  '/privacy-policy': lazyPage(async () => (await import('../pages/PrivacyPolicy')).PrivacyPolicy),
  '/terms-of-service': lazyPage(async () => (await import('../pages/TermsOfService')).TermsOfService),
  '/verify': lazyPage(async () => (await import('../pages/Verify')).Verify),
}

/** Prefetches the page of `pathname`, in parallel with the settings and the session. */
export function prefetchPage(pathname: string): void {
  const [first = 'login', second = ''] = pathname.split('/').filter(Boolean)
  const isSignedIn = localStorage.getItem(TOKEN_KEY) !== null
  if (isSignedIn && (first === 'dashboard' || first === 'login')) DASHBOARD.prefetch()
  else
    Object.entries(PAGES)
      .find(([path]) => path.split('/')[1] === first)?.[1]
      .prefetch()
  const remote = first === 'dashboard' && isSignedIn ? findSection(second)?.remote : undefined
  if (remote) preloadSection(remote)
}
