import { createClient, type InputArguments, type Page, routed } from '@iodine/contracts'
import type { Output, Route, Spec } from './routes'

/**
 * Calls the contracts' operations by route. An import of the endpoints' schemas would add zod to the browser bundle.
 * Rejects with an `ApiError` for any failure except an abort.
 */
export interface ApiClient {
  /** @example api.call('POST /iods/:id/vote', { params: { id }, body: { vote_type: 'POSITIVE' } }) */
  call<R extends Route>(route: R, ...input: InputArguments<Spec<R>>): Promise<Output<R>>
  /** Calls an operation that returns a list with `limit` and `cursor`. */
  page<R extends Route>(route: R, ...input: InputArguments<Spec<R>>): Promise<Page<Output<R>>>
  /** Calls an operation that returns a file, and resolves to its bytes with the server's media type. */
  download<R extends Route>(route: R, ...input: InputArguments<Spec<R>>): Promise<Blob>
}

export interface ApiClientOptions {
  /** Base of all paths, without a trailing slash. */
  baseUrl: string
  /** The session's token, or null; read on each call. */
  getToken: () => string | null
  /** Called on each 401 with the token of the rejected request. The call still rejects. */
  onUnauthorized?: (refusedToken: string | null) => void
}

/** Creates the API client. A host creates one and passes it to its pages and remotes. */
export function createApiClient({ baseUrl, getToken, onUnauthorized }: ApiClientOptions): ApiClient {
  const client = createClient((target, request) => fetch(baseUrl + target, request), {
    token: getToken,
    ...(onUnauthorized && { onUnauthorized }),
  })
  return {
    call: (route, ...input) => client.call(endpointOf(route), ...input),
    page: (route, ...input) => client.page(endpointOf(route), ...input),
    download: async (route, ...input) => (await client.open(endpointOf(route), ...input)).blob(),
  }
}

/** The part of an endpoint that a client needs. */
const endpointOf = <R extends Route>(route: R) => routed(route) as unknown as Spec<R>
