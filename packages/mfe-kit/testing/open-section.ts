import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import type { BrowserConfig, Profile } from '@iodine/contracts'
import { NavigationType } from '@iodine/ui/router'
import { afterEach } from 'vitest'
import { createApiClient, mountParcel } from '../src/host'
import type { HostProps, RemoteParcel, Toast } from '../src/index'

export const user: Profile = {
  id: '',
  email: 'ada@example.org',
  username: 'ada',
  is_admin: false,
  created_at: '2026-03-02T10:00:00.000Z',
  has_openai_key: false,
}

const config: BrowserConfig = {
  product_name: 'Iodine',
  contact_email: '',
  social_links: [],
  extension_url: '',
  offline_ai: false,
  sections: [],
}

type Answer = [status: number, body: unknown, headers?: Record<string, string>]
interface Call {
  route: string
  search: URLSearchParams
  body: unknown
}
/** What the API answers, by 'METHOD /path'. */
export type Routes = Record<string, (call: Call) => Answer | Promise<Answer>>

let opened = 0
const closers: (() => unknown)[] = []

const raise = (message: string): never => {
  throw new Error(message)
}

/** Mounts the section's parcel as the shell does, at `path`, against a server that answers as `routes` say. */
export async function openSection(parcel: RemoteParcel, basePath: string, path: string, routes: Routes) {
  // A user of its own has a query cache of its own.
  user.id = (++opened).toString(16).padStart(24, 'f')
  const calls: Call[] = []
  const toasts: Toast[] = []
  const server = createServer(async (request, response) => {
    let text = ''
    for await (const chunk of request) text += chunk
    const url = new URL(request.url ?? '', 'http://test')
    const call = {
      route: `${request.method} ${url.pathname}`,
      search: url.searchParams,
      body: text ? (JSON.parse(text) as unknown) : undefined,
    }
    calls.push(call)
    const [status, body, headers] = (await routes[call.route]?.(call)) ?? [404, { detail: 'Not found' }]
    response
      .writeHead(status, { 'content-type': 'application/json', connection: 'close', ...headers })
      .end(JSON.stringify(body))
  })
  await new Promise<void>(resolve => server.listen(0, '127.0.0.1', resolve))
  const origin = `http://127.0.0.1:${(server.address() as AddressInfo).port}`
  const { happyDOM } = window as unknown as { happyDOM: { setURL: (url: string) => void } }
  happyDOM.setURL(origin + path)

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
    session: { user: { ...user }, refresh: async () => {} },
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
    server.close()
  })
  await section.mounted
  return { calls, toasts, search: () => here().url.search, path: () => here().url.pathname, navigate }
}

afterEach(async () => {
  for (const close of closers.splice(0)) await close()
})
