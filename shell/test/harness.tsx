import type { BrowserConfig, Profile } from '@iodine/contracts'
import {
  type Routes,
  config as sectionConfig,
  user as sectionUser,
  setAddress,
  startApi,
} from '@iodine/mfe-kit/testing'
import { BrowserRouter } from '@iodine/ui/router'
import { render } from '@testing-library/react'
import { App } from '../src/app/App'
import { type Host, HostProvider } from '../src/app/HostProvider'
import { TOKEN_KEY } from '../src/session/session-store'

export const user: Profile = { ...sectionUser, id: 'a'.repeat(24) }

export const config: BrowserConfig = {
  ...sectionConfig,
  contact_email: 'contact@example.org',
  extension_url: 'https://example.org/extension',
  extension_firefox_url: '',
}

export const usage = {
  records: { used: 20_000, limit: 20_000 },
  record_bytes: { used: 900 * 1024 ** 2, limit: 1024 ** 3 },
  iods_today: { used: 3, limit: 500 },
  iods: { used: 3, limit: 20_000 },
  iod_bytes: { used: 345, limit: 16 * 1024 ** 2 },
  narratives: null,
  canon_rules: null,
  campaigns: { used: 0, limit: 200 },
  campaign_iods: { used: 0, limit: 5_000 },
  import_bytes: { used: 0, limit: 5_000 },
  published_bytes: { used: 0, limit: 5_000 },
}
export const session = {
  id: 'b'.repeat(24),
  kind: 'web',
  browser: 'Firefox',
  system: 'Linux',
  created_at: '2026-11-22T10:00:00.000Z',
  last_seen_at: '2026-11-23T10:00:00.000Z',
  current: true,
}
/** Responses for a user on any page of the shell. */
export const SIGNED_IN: Routes = {
  'GET /profile/me': [200, user],
  'GET /iods': [200, []],
  'POST /iods/lookup': [200, []],
  'GET /iods/days': [200, [{ day: '2026-11-23', all: 3, own: 1 }]],
  'GET /profile/usage': [200, usage],
  'GET /profile/api-tokens': [200, []],
  'GET /profile/feed-keys': [200, []],
  'GET /profile/sessions': [200, [session]],
  'GET /watches': [200, []],
  'GET /notifications/settings': [200, { replies: true, mail: 'off', time_zone: 'UTC', webhook: null }],
  'GET /profile/passkeys': [200, []],
  'GET /profile/data-export': [200, null],
  'GET /profile/address-change': [200, null],
  'GET /sightings/counting': [200, { counted: false }],
  'GET /profile/quoting': [200, { allowed: false }],
}

/** Renders the app at `path`, against a server that responds with `routes`. */
export async function openApp(
  path: string,
  routes: Routes,
  options: { token?: string; remotes?: Host['remotes']; config?: Partial<BrowserConfig> } = {},
) {
  const { calls, origin } = await startApi(
    {
      'GET /profile/deletion': [200, { delete_at: null }],
      'GET /notifications/unread': [200, { unread: 0, latest: null }],
      ...routes,
    },
    '/api/v1',
  )
  setAddress(origin + path)
  localStorage.clear()
  if (options.token) localStorage.setItem(TOKEN_KEY, options.token)
  const remotes = options.remotes ?? { load: () => Promise.reject(new Error('no remotes here')) }
  render(
    <BrowserRouter>
      <HostProvider config={{ ...config, ...options.config }} remotes={remotes}>
        <App />
      </HostProvider>
    </BrowserRouter>,
  )
  return { calls }
}
