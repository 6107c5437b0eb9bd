import { ApiError } from './api-error'
import type { Input, Output, Route } from './routes'

/** One page of a list: `total` and `nextCursor` (null on the last page) come from the answer's headers. */
export interface Page<T> {
  items: T
  total: number | null
  nextCursor: string | null
}

/** The contracts' operations as calls; rejects with an `ApiError` for any failure save an abort. */
export interface ApiClient {
  /** @example api.call('POST /iods/:id/vote', { params: { id }, body: { vote_type: 'POSITIVE' } }) */
  call<R extends Route>(route: R, ...input: Arguments<R>): Promise<Output<R>>
  /** The same for a list asked for with `limit` and `cursor`. */
  page<R extends Route>(route: R, ...input: Arguments<R>): Promise<Page<Output<R>>>
}

type Arguments<R extends Route> =
  Record<never, never> extends Input<R> ? [input?: Input<R>] : [input: Input<R>]

export interface ApiClientOptions {
  /** Base of all paths, without a trailing slash. */
  baseUrl: string
  /** The session's token, or null; read on each call. */
  getToken: () => string | null
  /** Called on each 401, with the token the refused call carried; the error is thrown all the same. */
  onUnauthorized?: (refusedToken: string | null) => void
}

interface LooseInput {
  params?: Record<string, string>
  query?: Record<string, unknown>
  body?: unknown
  signal?: AbortSignal
  onText?: (text: string) => void
}

/** The client that a host makes once and hands to its pages and remotes. */
export function createApiClient({ baseUrl, getToken, onUnauthorized }: ApiClientOptions): ApiClient {
  const send = async (route: string, { params, query, body, signal, onText }: LooseInput = {}) => {
    const [method, template] = route.split(' ') as [string, string]
    const path = template.replace(/:(\w+)/g, (_, name: string) => encodeURIComponent(params?.[name] ?? ''))
    const token = getToken()
    const headers: Record<string, string> = { Accept: 'application/json' }
    if (token) headers.Authorization = `Bearer ${token}`
    if (body !== undefined) headers['Content-Type'] = 'application/json'
    let response: Response
    try {
      response = await fetch(baseUrl + path + queryString(query), {
        method,
        headers,
        ...(body !== undefined && { body: JSON.stringify(body) }),
        ...(signal && { signal }),
      })
    } catch (error) {
      if (signal?.aborted) throw error
      throw new ApiError(0, null)
    }
    if (response.status === 401) onUnauthorized?.(token)
    const whole = onText && response.ok ? readText(response, onText).then(JSON.parse) : response.json()
    const data: unknown = await whole.catch((error: unknown) => {
      if (signal?.aborted) throw error
      return undefined
    })
    if (!response.ok) throw new ApiError(response.status, readDetail(data))
    if (data === undefined) throw new ApiError(response.status, null)
    return { data, headers: response.headers }
  }
  return {
    call: async (route, ...[input]) => (await send(route, input as LooseInput)).data as never,
    page: async (route, ...[input]) => {
      const { data, headers } = await send(route, input as LooseInput)
      const total = headers.get('X-Total-Count')
      return {
        items: data as never,
        total: total === null ? null : Number(total),
        nextCursor: headers.get('X-Next-Cursor'),
      }
    },
  }
}

async function readText(response: Response, onText: (text: string) => void): Promise<string> {
  const decoder = new TextDecoder()
  let text = ''
  for (const reader = response.body?.getReader(); reader; ) {
    const { done, value } = await reader.read()
    if (done) break
    text += decoder.decode(value, { stream: true })
    onText(text)
  }
  return text
}

/** `?a=1&b=2&b=3`; undefined and null values are left out, lists repeat their key. */
function queryString(query: Record<string, unknown> = {}): string {
  const search = new URLSearchParams()
  for (const [key, value] of Object.entries(query)) {
    for (const item of Array.isArray(value) ? value : [value])
      if (item != null) search.append(key, String(item))
  }
  const text = search.toString()
  return text && `?${text}`
}

function readDetail(data: unknown): string | string[] | null {
  const detail = typeof data === 'object' && data !== null && 'detail' in data ? data.detail : null
  if (typeof detail === 'string') return detail
  return Array.isArray(detail) && detail.every(item => typeof item === 'string') ? detail : null
}
