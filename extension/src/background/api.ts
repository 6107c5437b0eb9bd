import {
  authApi,
  type BodyFor,
  collectorApi,
  type EndpointSpec,
  iodsApi,
  type ParamsFor,
  profileApi,
  type ResponseOf,
} from '@iodine/contracts'

const WAIT_MS = 30_000

/** A request without an answer of the contract. `status` is 0 where no answer came. */
export class ApiError extends Error {
  override name = 'ApiError'
  readonly status: number
  readonly retryAfterMs: number
  constructor(status: number, message: string, retryAfterMs = 0) {
    super(message)
    this.status = status
    this.retryAfterMs = retryAfterMs
  }
}

/** The endpoints that a token of the collector's scope may call. */
export const endpoints = {
  redeem: authApi.redeemExtensionCode,
  logout: authApi.logout,
  profile: profileApi.getProfile,
  ingest: collectorApi.ingestRecords,
  lookup: iodsApi.lookupIods,
  createIod: iodsApi.createIod,
} as const

/** Calls an endpoint of a server. Rejects with an ApiError, also where the answer does not match the contract. */
export const callApi = async <E extends EndpointSpec>(
  { server, token }: { server: string; token?: string | undefined },
  endpoint: E,
  { params, body }: { params?: ParamsFor<E>; body?: BodyFor<E> } = {},
): Promise<ResponseOf<E>> => {
  const path = endpoint.path.replace(/:(\w+)/g, (_, name: string) =>
    encodeURIComponent(String((params as Record<string, unknown> | undefined)?.[name])),
  )
  let response: Response
  let answer: unknown
  try {
    response = await fetch(`${server}/api/v1${path}`, {
      method: endpoint.method,
      headers: {
        ...(token && { authorization: `Bearer ${token}` }),
        ...(body !== undefined && { 'content-type': 'application/json' }),
      },
      ...(body !== undefined && { body: JSON.stringify(body) }),
      cache: 'no-store',
      credentials: 'omit',
      // A redirect could send the token to another server.
      redirect: 'error',
      signal: AbortSignal.timeout(WAIT_MS),
    })
    answer = await response.json().catch(() => undefined)
  } catch {
    throw new ApiError(0, `${server} can't be reached`)
  }
  if (response.status !== (endpoint.status ?? 200)) {
    const retryAfter = Number(response.headers.get('retry-after') ?? 0)
    throw new ApiError(response.status, detailOf(answer, response.status), retryAfter * 1_000 || 0)
  }
  const parsed = endpoint.response.safeParse(answer)
  if (!parsed.success) throw new ApiError(0, `${server} doesn't answer as it should`)
  return parsed.data as ResponseOf<E>
}

const detailOf = (answer: unknown, status: number): string => {
  const detail =
    typeof answer === 'object' && answer !== null && 'detail' in answer ? answer.detail : undefined
  const text = [detail]
    .flat()
    .filter(part => typeof part === 'string')
    .join(', ')
  return text || `The server answered with ${status}`
}
