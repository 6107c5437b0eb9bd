import { NavigationType } from '@iodine/ui/router'
import { mountParcel } from '../src/host'
import type { HostProps, RemoteParcel, Toast } from '../src/index'

export type Calls = Record<string, (input: never) => unknown>

export interface Section {
  toasts: Toast[]
  visited: unknown[]
  /** Every call made, in order. */
  requests: { route: string; input: Record<string, unknown> }[]
  unmount: () => Promise<void>
}

/** Mounts a section as the shell does, with `calls` in the place of the API; a missing one never answers. */
export async function mountSection(
  parcel: RemoteParcel,
  calls: Calls,
  { search = '', user = {} } = {},
): Promise<Section> {
  const section: Omit<Section, 'unmount'> = { toasts: [], visited: [], requests: [] }
  const answer = async (route: string, input: Record<string, unknown> = {}) => {
    section.requests.push({ route, input })
    const handler = calls[route] as ((input: unknown) => unknown) | undefined
    return handler ? handler(input) : new Promise(() => {})
  }
  const api = {
    call: answer,
    page: async (route: string, input: Record<string, unknown>) => {
      const items = (await answer(route, input)) as unknown[]
      return { items, total: items.length, nextCursor: null }
    },
  }
  const host = {
    basePath: '/dashboard/section',
    location: { pathname: '/dashboard/section', search, hash: '', state: null, key: 'first' },
    navigationType: NavigationType.Push,
    navigate: (to: unknown) => section.visited.push(to),
    session: {
      user: { id: crypto.randomUUID(), username: 'ada', has_openai_key: true, ...user },
      refresh: async () => {},
    },
    api,
    notify: (toast: Toast) => section.toasts.push(toast),
    config: {},
    onCrash: (error: Error) => {
      throw error
    },
  } as unknown as HostProps
  const container = document.body.appendChild(document.createElement('div'))
  const mounted = mountParcel(parcel, container, host)
  await mounted.mounted
  return {
    ...section,
    unmount: async () => {
      await mounted.unmount()
      container.remove()
    },
  }
}
