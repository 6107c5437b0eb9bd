import {
  API_BASE,
  type Client,
  createClient,
  type InputArguments,
  type InternalEndpoint,
  type ResponseOf,
  type Transport,
} from '@iodine/contracts'
import { SERVICE_KEY_HEADER } from '@iodine/service-kit'
import { checkAnswer, checkError, endpointAt } from './answers.js'

export interface Answer {
  status: number
  // biome-ignore lint/suspicious/noExplicitAny: a test looks into bodies of every shape
  body: any
  headers: Headers
}

export interface ApiClient {
  /** Calls an endpoint of the contract; an error answer rejects with an ApiError. */
  call: Client['call']
  /**
   * Sends any request to a path below /api/v1; never throws for a status. A body of text or bytes is sent unchanged.
   */
  send(method: string, path: string, body?: unknown, headers?: Record<string, string>): Promise<Answer>
}

const isVerbatim = (body: unknown): body is string | Uint8Array<ArrayBuffer> =>
  typeof body === 'string' || body instanceof Uint8Array

/** Calls internal endpoints in a test. */
export type CallInternal = <E extends InternalEndpoint>(
  endpoint: E,
  ...input: InputArguments<E>
) => Promise<ResponseOf<E>>

/**
 * Creates a client for tests. It parses every answer by its endpoint's schema, and every error as `{detail}`; a
 * mismatch rejects with the endpoint and the path of the fault.
 * @param base URL of a gateway or a service
 */
export const apiClient = (base: string, token?: string): ApiClient => {
  const transport: Transport<Response> = (target, request) => fetch(base + API_BASE + target, request)
  const { call } = createClient(transport, { token: () => token, check: checkAnswer })
  return {
    call,
    async send(method, path, body, headers = {}) {
      const answer = await transport(path, {
        method,
        headers: {
          ...(token && { authorization: `Bearer ${token}` }),
          ...(body !== undefined && {
            'content-type': body instanceof Uint8Array ? 'application/octet-stream' : 'application/json',
          }),
          ...headers,
        },
        ...(body !== undefined && { body: isVerbatim(body) ? body : JSON.stringify(body) }),
      })
      const { status } = answer
      const text = await answer.text()
      const isJson = answer.headers.get('content-type')?.includes('json')
      const read: unknown = isJson ? JSON.parse(text) : text
      const endpoint = endpointAt(method, path)
      if (endpoint) checkAnswer(endpoint, status, read)
      else if (status >= 400 && method !== 'HEAD') checkError({ method, path }, status, read)
      return { status, body: read, headers: answer.headers }
    },
  }
}

/**
 * Creates a client of a service's internal endpoints, as other services use them. It parses every answer by its schema.
 */
export const internalClient = (base: string, serviceKey: string): CallInternal =>
  createClient(
    (target, request) =>
      fetch(base + target, { ...request, headers: { ...request.headers, [SERVICE_KEY_HEADER]: serviceKey } }),
    { check: checkAnswer },
  ).call
