import { createClient, type InputArguments, type Page, routed } from '@iodine/contracts'
import type { Output, Route, Spec } from './routes'

/**
 * The contracts' operations as calls by route, since an endpoint's schemas would bring zod into the browser's bundle;
 * rejects with an `ApiError` for any failure save an abort.
 */
export interface ApiClient {
  /** @example api.call('POST /iods/:id/vote', { params: { id }, body: { vote_type: 'POSITIVE' } }) */
  call<R extends Route>(route: R, ...input: InputArguments<Spec<R>>): Promise<Output<R>>
  /** The same for a list asked for with `limit` and `cursor`. */
  page<R extends Route>(route: R, ...input: InputArguments<Spec<R>>): Promise<Page<Output<R>>>
}

export interface ApiClientOptions {
  /** Base of all paths, without a trailing slash. */
  baseUrl: string
  /** The session's token, or null; read on each call. */
  getToken: () => string | null
  /** Called on each 401, with the token the refused call carried; the error is thrown all the same. */
  onUnauthorized?: (refusedToken: string | null) => void
}

/** The client that a host makes once and hands to its pages and remotes. */
export function createApiClient({ baseUrl, getToken, onUnauthorized }: ApiClientOptions): ApiClient {
  const client = createClient((target, request) => fetch(baseUrl + target, request), {
    token: getToken,
    ...(onUnauthorized && { onUnauthorized }),
  })
  return {
    call: (route, ...input) => client.call(endpointOf(route), ...input),
    page: (route, ...input) => client.page(endpointOf(route), ...input),
  }
}

/** As much of the endpoint as a client needs. */
const endpointOf = <R extends Route>(route: R) => routed(route) as unknown as Spec<R>
