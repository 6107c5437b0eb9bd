import {
  type BodyFor,
  type EndpointSpec,
  type ParamsFor,
  type QueryFor,
  type ResponseOf,
  requestTarget,
} from '@iodine/contracts'

export interface Answer {
  status: number
  // biome-ignore lint/suspicious/noExplicitAny: a test looks into bodies of every shape
  body: any
  headers: Headers
}

export interface ApiClient {
  /** Calls an endpoint of the contract; anything but its status of success is an error with status and detail. */
  call<E extends EndpointSpec>(
    endpoint: E,
    input?: { params?: ParamsFor<E>; query?: QueryFor<E>; body?: BodyFor<E> },
  ): Promise<ResponseOf<E>>
  /** Sends anything to a path below /api/v1 and never throws for a status. A string body goes as it is. */
  send(method: string, path: string, body?: unknown, headers?: Record<string, string>): Promise<Answer>
}

/** A client for tests: `base` is a gateway's or a service's address. */
export const apiClient = (base: string, token?: string): ApiClient => {
  const send: ApiClient['send'] = async (method, path, body, headers = {}) => {
    const response = await fetch(`${base}/api/v1${path}`, {
      method,
      headers: {
        ...(token && { authorization: `Bearer ${token}` }),
        ...(body !== undefined && { 'content-type': 'application/json' }),
        ...headers,
      },
      ...(body !== undefined && { body: typeof body === 'string' ? body : JSON.stringify(body) }),
    })
    const text = await response.text()
    const isJson = response.headers.get('content-type')?.includes('json')
    return { status: response.status, body: isJson ? JSON.parse(text) : text, headers: response.headers }
  }
  return {
    send,
    async call(endpoint, { params, query, body } = {}) {
      const answer = await send(endpoint.method, requestTarget(endpoint, { params, query }), body)
      if (answer.status !== (endpoint.status ?? 200))
        throw new Error(
          `${endpoint.method} ${endpoint.path}: ${answer.status} ${JSON.stringify(answer.body)}`,
        )
      return answer.body
    },
  }
}
