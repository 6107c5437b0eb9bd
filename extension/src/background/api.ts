import {
  API_BASE,
  ApiError,
  authApi,
  campaignsApi,
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
import { type FailureKind, sentenceOf } from '../shared/failures'
import { isAnswer } from './lenient'

const WAIT_MS = 30_000
/** Assumed bandwidth of a slow connection, in bytes per millisecond. */
const SLOW_BYTES_PER_MS = 64

/** Returns the timeout in milliseconds of a request with a body of this size. */
export const timeoutFor = (bytes: number): number => WAIT_MS + Math.ceil(bytes / SLOW_BYTES_PER_MS)

/** Returns whether a request failed permanently. Other failures are retried. */
export const isPermanentError = ({ status }: ApiError): boolean => [400, 413, 415, 422].includes(status)

/** The endpoints allowed for a token of the collector's scope. */
export const endpoints = {
  redeem: authApi.redeemExtensionCode,
  logout: authApi.logout,
  profile: profileApi.getProfile,
  ingest: collectorApi.ingestRecords,
  lookup: iodsApi.lookupIods,
  iodOverlay: iodsApi.getOverlay,
  campaignOverlay: campaignsApi.getOverlay,
  createIod: iodsApi.createIod,
  createCapture: capturesApi.createCapture,
  putBlob: capturesApi.putBlob,
  sealCapture: capturesApi.sealCapture,
  addEvidence: evidenceApi.addEvidence,
} as const

interface Session {
  server: string
  token?: string | undefined
}

const clientOf = ({ server, token }: Session, headers: Record<string, string> = {}) =>
  createClient(
    (target, request) =>
      fetch(server + API_BASE + target, {
        ...request,
        headers: { ...request.headers, ...headers },
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

/** Tokens by error. They are no property of the error because errors are logged. */
const tokens = new WeakMap<ApiError, string | undefined>()

/** Returns the token of the failed request. */
export const tokenOf = (error: ApiError): string | undefined => tokens.get(error)

const withMessage =
  ({ server, token }: Session) =>
  (error: unknown) => {
    if (!(error instanceof ApiError)) throw error
    tokens.set(error, token)
    throw Object.assign(error, { message: messageOf(server, error) })
  }

/**
 * Calls an endpoint of a server. Rejects with an ApiError, whose message is for the user, also if the
 * response does not match the contract.
 */
export const callApi = async <E extends EndpointSpec>(
  session: Session,
  endpoint: E,
  ...input: InputArguments<E>
): Promise<ResponseOf<E>> =>
  clientOf(session)
    .call(endpoint, ...input)
    .catch(withMessage(session))

/** Downloads bytes with their ETag. Resolves to undefined for a 304. Rejects as `callApi` does. */
export const download = async <E extends EndpointSpec>(
  session: Session,
  endpoint: E,
  etag: string | undefined,
  ...input: InputArguments<E>
): Promise<{ bytes: Uint8Array<ArrayBuffer>; etag: string } | undefined> => {
  const client = clientOf(session, etag === undefined ? {} : { 'if-none-match': etag })
  const answer = await client.open(endpoint, ...input).catch(error => {
    if (error instanceof ApiError && error.status === 304) return undefined
    return withMessage(session)(error)
  })
  if (!answer) return undefined
  const bytes = await answer.arrayBuffer().catch(() => withMessage(session)(new ApiError(0, null)))
  return { bytes: new Uint8Array(bytes), etag: answer.headers.get('etag') ?? '' }
}

/** Creates the error for a response that does not match the contract. */
export const invalidResponse = (server: string): ApiError => {
  const error = new ApiError(200, null)
  return Object.assign(error, { message: messageOf(server, error) })
}

/** Failures by HTTP status (0: no response), where the message of the server is not shown. */
const KINDS: Record<number, FailureKind> = {
  0: 'unreachable',
  401: 'sessionEnded',
  403: 'forbidden',
  404: 'missing',
  413: 'tooLarge',
  429: 'tooMany',
}

/** Returns the message for the user: the server’s detail for a client error, else a sentence by status. */
const messageOf = (server: string, { status, detail }: ApiError): string => {
  const said = status >= 400 && status < 500 && status !== 401 && status !== 429 ? [detail ?? []].flat() : []
  if (said.length > 0) return said.join(', ')
  const kind = status >= 500 ? 'serverFault' : status > 0 && status < 400 ? 'notIodine' : 'refused'
  return sentenceOf(KINDS[status] ?? kind, { server, status })
}
