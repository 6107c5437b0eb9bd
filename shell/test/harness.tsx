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
