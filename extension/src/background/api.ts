import {
  API_BASE,
  ApiError,
  authApi,
  collectorApi,
  createClient,
  type EndpointSpec,
  type InputArguments,
  iodsApi,
  profileApi,
  type ResponseOf,
} from '@iodine/contracts'

const WAIT_MS = 30_000

/** The endpoints that a token of the collector's scope may call. */
export const endpoints = {
  redeem: authApi.redeemExtensionCode,
  logout: authApi.logout,
  profile: profileApi.getProfile,
  ingest: collectorApi.ingestRecords,
  lookup: iodsApi.lookupIods,
  createIod: iodsApi.createIod,
} as const

/** Calls an endpoint on a server; rejects with an ApiError, its message for people, also where the answer is not one of the contract. */
export const callApi = async <E extends EndpointSpec>(
  { server, token }: { server: string; token?: string | undefined },
  endpoint: E,
  ...input: InputArguments<E>
): Promise<ResponseOf<E>> => {
  const client = createClient(
    (target, request) =>
      fetch(server + API_BASE + target, {
        ...request,
        cache: 'no-store',
        credentials: 'omit',
        // A redirect would carry the token to wherever it points.
        redirect: 'error',
      }),
    {
      token: () => token,
      ms: WAIT_MS,
      check({ response }, status, body) {
        if (status < 300 && !response.safeParse(body).success) throw new ApiError(status, null)
      },
    },
  )
  return client.call(endpoint, ...input).catch(error => {
    throw error instanceof ApiError ? Object.assign(error, { message: messageOf(server, error) }) : error
  })
}

/** The failure of an answer that the contract doesn't know. */
export const nonsense = (server: string): ApiError => {
  const error = new ApiError(200, null)
  return Object.assign(error, { message: messageOf(server, error) })
}

const messageOf = (server: string, { status, detail }: ApiError): string => {
  if (status === 0) return `${server} can't be reached`
  if (status < 300) return `${server} doesn't answer as it should`
  return [detail ?? []].flat().join(', ') || `The server answered with ${status}`
}
