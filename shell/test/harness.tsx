import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import type { BrowserConfig, Profile } from '@iodine/contracts'
import { BrowserRouter } from '@iodine/ui/router'
import { render } from '@testing-library/react'
import { afterEach } from 'vitest'
import { App } from '../src/app/App'
import { type Host, HostProvider } from '../src/app/HostProvider'
import { TOKEN_KEY } from '../src/session/session-store'

export const user: Profile = {
  id: 'a'.repeat(24),
  email: 'ada@example.org',
  username: 'ada',
  is_admin: false,
  created_at: '2026-03-02T10:00:00.000Z',
  has_openai_key: false,
}

export const config: BrowserConfig = {
  product_name: 'Iodine',
  contact_email: 'contact@example.org',
  social_links: [],
  extension_url: 'https://example.org/extension',
  offline_ai: false,
  sections: [],
}

type Answer = [status: number, body: unknown]
/** What the API answers, by 'METHOD /path'. */
export type Routes = Record<string, Answer | ((body: unknown) => Answer)>

const closers: (() => void)[] = []

/** Shows the app at `path` against a server that answers as `routes` say; returns the calls it got. */
export async function openApp(
  path: string,
  routes: Routes,
  options: { token?: string; remotes?: Host['remotes']; config?: Partial<BrowserConfig> } = {},
) {
  const calls: { route: string; body: unknown }[] = []
  const server = createServer(async (request, response) => {
    let text = ''
    for await (const chunk of request) text += chunk
    const body: unknown = text ? JSON.parse(text) : undefined
    const route = `${request.method} ${request.url?.replace(/^\/api\/v1|\?.*$/g, '')}`
    calls.push({ route, body })
    const found = routes[route] ?? [404, { detail: 'Not found' }]
    const [status, answer] = typeof found === 'function' ? found(body) : found
    response.writeHead(status, { 'content-type': 'application/json' }).end(JSON.stringify(answer))
  })
  await new Promise<void>(resolve => server.listen(0, '127.0.0.1', resolve))
  closers.push(() => {
    server.closeAllConnections()
    server.close()
  })
  const { happyDOM } = window as unknown as { happyDOM: { setURL: (url: string) => void } }
  happyDOM.setURL(`http://127.0.0.1:${(server.address() as AddressInfo).port}${path}`)
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

afterEach(() => {
  for (const close of closers.splice(0)) close()
})
