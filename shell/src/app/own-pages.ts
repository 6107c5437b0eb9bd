import { type LazyPage, lazyPage } from './lazy-page'

/** The shell's lazily loaded pages, by section. */
export const OWN_PAGES: Record<string, LazyPage> = {
  profile: lazyPage(async () => (await import('../pages/Profile')).Profile),
  admin: lazyPage(async () => (await import('../pages/admin/Admin')).Admin),
}
