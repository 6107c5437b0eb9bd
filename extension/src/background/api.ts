import {
  API_BASE,
  ApiError,
  authApi,
  capturesApi,
  collectorApi,
  createClient,
  type EndpointSpec,
  evidenceApi,
  type InputArguments,
  iodsApi,
  profileApi,
  type ResponseOf,
} from '@iodine/contracts'
import { isAnswer } from './lenient'

const WAIT_MS = 30_000
/** Bytes per millisecond that a slow line still takes. */
const SLOW_LINE = 64

/** How long a request may take, in milliseconds, that sends so many bytes. */
export const timeFor = (bytes: number): number => WAIT_MS + Math.ceil(bytes / SLOW_LINE)

/** Whether the server will not take the request, however often it is asked. Other failures are retried. */
export const isRefusal = ({ status }: ApiError): boolean => [400, 413, 415, 422].includes(status)

/** The endpoints allowed for a token of the collector's scope. */
export const endpoints = {
  redeem: authApi.redeemExtensionCode,
  logout: authApi.logout,
  profile: profileApi.getProfile,
  ingest: collectorApi.ingestRecords,
  lookup: iodsApi.lookupIods,
  createIod: iodsApi.createIod,
  createCapture: capturesApi.createCapture,
  putBlob: capturesApi.putBlob,
  sealCapture: capturesApi.sealCapture,
  addEvidence: evidenceApi.addEvidence,
} as const

/**
 * Calls an endpoint of a server. Rejects with an ApiError, whose message is for the user, also if the
 * response does not match the contract.
 */
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
        // A redirect could send the token to another server.
        redirect: 'error',
      }),
    {
      token: () => token,
      ms: WAIT_MS,
      check({ response }, status, body) {
        if (status < 300 && !isAnswer(response, body)) throw new ApiError(status, null)
      },
    },
  )
  return client.call(endpoint, ...input).catch(error => {
    throw error instanceof ApiError ? Object.assign(error, { message: messageOf(server, error) }) : error
  })
}

/** The error for a response that does not match the contract. */
export const nonsense = (server: string): ApiError => {
  const error = new ApiError(200, null)
  return Object.assign(error, { message: messageOf(server, error) })
}

const messageOf = (server: string, { status, detail }: ApiError): string => {
  if (status === 0) return `${server} can't be reached`
  if (status < 300) return `${server} doesn't answer as it should`
  return [detail ?? []].flat().join(', ') || `The server answered with ${status}`
}
