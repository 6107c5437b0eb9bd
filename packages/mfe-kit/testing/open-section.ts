import type { BrowserConfig, Profile } from '@iodine/contracts'
import { NavigationType } from '@iodine/ui/router'
import { onTestFinished } from 'vitest'
import { createApiClient, mountParcel } from '../src/host'
import type { HostProps, RemoteParcel, Toast } from '../src/index'
import { type Routes, startApi } from './api-server'

export const user: Profile = {
  id: '',
  email: 'ada@example.org',
  username: 'ada',
  is_admin: false,
  created_at: '2026-03-02T10:00:00.000Z',
  has_openai_key: false,
}

export const config: BrowserConfig = {
  product_name: 'Iodine',
  contact_email: '',
  social_links: [],
  extension_url: '',
  extension_firefox_url: '',
  offline_ai: false,
  reports: true,
  sections: [],
}

let opened = 0
const closers: (() => Promise<void>)[] = []

const raise = (message: string): never => {
  throw new Error(message)
}

/** Sets the URL of the test's page. */
export const setAddress = (url: string): void =>
  (window as unknown as { happyDOM: { setURL: (url: string) => void } }).happyDOM.setURL(url)

/**
 * Mounts the section's parcel like the shell, at `path`, against a server with these `routes`. `change` overrides
 * fields of the signed-in user; unless it sets an id, the user and its query cache are new. Unmounts a section opened
 * earlier in the test.
 */
export async function openSection(
  parcel: RemoteParcel,
  basePath: string,
  path: string,
  routes: Routes,
  change: Partial<Profile> = {},
) {
  await closeSections()
  user.id = (++opened).toString(16).padStart(24, 'f')
  const signedIn = { ...user, ...change }
  const toasts: Toast[] = []
  const { calls, origin } = await startApi({ 'GET /watches': [200, []], ...routes })
  setAddress(origin + path)

  const history = [{ url: new URL(path, origin), state: null as unknown }]
  let at = 0
  let navigationType: NavigationType = NavigationType.Pop
  const here = () => history[at] ?? raise('no such entry in the history')
  const props = (): HostProps => ({
    basePath,
    location: {
      pathname: here().url.pathname,
      search: here().url.search,
      hash: '',
      state: here().state,
      key: `${at} ${here().url.href}`,
    },
    navigationType,
    navigate,
    session: { user: { ...signedIn }, refresh: async () => {} },
    api,
    notify: toast => void toasts.push(toast),
    config,
    onCrash: error => {
      throw error
    },
  })
  const api = createApiClient({ baseUrl: origin, getToken: () => 'good' })
  const navigate: HostProps['navigate'] = (to, { replace = false, state = null } = {}) => {
    if (typeof to === 'number') {
      at += to
      navigationType = NavigationType.Pop
    } else {
      const path = typeof to === 'string' ? to : `${to.pathname ?? ''}${to.search ?? ''}`
      const entry = { url: new URL(path, here().url), state }
      if (!replace) at++
      history.splice(at, history.length, entry)
      navigationType = replace ? NavigationType.Replace : NavigationType.Push
    }
    section.update(props())
  }
  const container = document.body.appendChild(document.createElement('div'))
  const section = mountParcel(parcel, container, props())
  closers.push(async () => {
    await section.unmount()
    container.remove()
  })
  onTestFinished(closeSections)
  await section.mounted
  return { calls, toasts, search: () => here().url.search, path: () => here().url.pathname, navigate }
}

async function closeSections() {
  for (const close of closers.splice(0)) await close()
}
