import { DETAILS, LIMITS } from '@iodine/contracts'
import { type Caller, forbidden, HttpError, notFound, requireAccess } from '@iodine/service-kit'
import type { FastifyRequest } from 'fastify'
import { type ApiTokenCheck, isApiToken } from '../api-tokens.js'
import { type Client, clientOf } from '../client-limits.js'
import type { CheckedKey, FeedKeyCheck } from '../feed-keys.js'
import type { Limits } from '../limits.js'
import type { SessionCheck } from '../sessions.js'
import type { feedsOf, operationsOf, pagesOf } from './operations.js'

export interface AdmissionOptions {
  checkSession: SessionCheck
  checkFeedKey: FeedKeyCheck
  checkApiToken: ApiTokenCheck
  limits: Limits
}

/** Returns the caller of a session or an API token. Throws 401, or 503 if it cannot be checked. */
const identify = async (
  request: FastifyRequest,
  { checkSession, checkApiToken, limits }: AdmissionOptions,
): Promise<Caller> => {
  const { authorization } = request.headers
  if (!isApiToken(authorization)) return checkSession(authorization)
  const { caller, token } = await checkApiToken(authorization, () => limits.checkStranger(request.ip))
  request.serviceToken = token
  return caller
}

/** Returns the hook that authenticates requests of a route and counts them against the client's limits. */
export const admit =
  (operationOf: ReturnType<typeof operationsOf>, options: AdmissionOptions) =>
  async (request: FastifyRequest): Promise<void> => {
    const { limits } = options
    const operation = operationOf(request)
    const kind = operation?.waits ? 'waitPool' : 'pool'
    const bodyLimit = operation?.spec.bodyLimit ?? LIMITS.bodyBytes
    request.template = operation?.template
    if (operation?.open) {
      request.admitted = { client: clientOf(request.ip), kind, bodyLimit }
      return limits.stranger(request.ip)
    }
    let caller: Caller
    try {
      caller = await identify(request, options)
    } catch (error) {
      await limits.stranger(request.ip)
      // A path outside the contracts answers 404 instead of 401, unless the caller has a session: services
      // may have more routes than these contracts.
      throw !operation && error instanceof HttpError && error.status === 401 ? notFound() : error
    }
    request.admitted = { client: clientOf(request.ip, caller), kind, bodyLimit }
    // Per user: the tokens of one user share one limit.
    await limits.user(caller.id)
    if (caller.scope !== 'api') return
    if (!operation) throw notFound()
    requireAccess(caller, operation.spec)
  }

/** Returns the hook that authenticates readers of a feed and counts their requests against the key's limit. */
export const admitReader =
  (feedOf: ReturnType<typeof feedsOf>, { checkFeedKey, limits }: AdmissionOptions) =>
  async (request: FastifyRequest): Promise<void> => {
    const feed = feedOf(request)
    request.template = feed?.template
    let key: CheckedKey
    try {
      key = await checkFeedKey(request.headers.authorization)
    } catch (error) {
      await limits.stranger(request.ip)
      throw error
    }
    const client = clientOf(request.ip, { id: key.user_id })
    request.admitted = { client, kind: 'pool', bodyLimit: LIMITS.bodyBytes }
    request.serviceToken = key.token
    request.isFeed = true
    await limits.feed(key.id)
    // Feeds are read-only.
    if (request.method !== 'GET' && request.method !== 'HEAD') throw forbidden()
    if (!feed) throw notFound()
    if (feed.reads !== key.reads) throw new HttpError(403, DETAILS.feedKeyReads)
  }

/** Returns the hook that counts readers of public pages. It looks up no session. */
export const admitPage =
  (templateOf: ReturnType<typeof pagesOf>, { limits }: AdmissionOptions) =>
  async (request: FastifyRequest): Promise<void> => {
    request.template = templateOf(request)
    request.isPage = true
    request.admitted = { client: clientOf(request.ip), kind: 'pagePool', bodyLimit: 0 }
    await limits.reader(request.ip)
    const isRead = request.method === 'GET' || request.method === 'HEAD'
    if (request.template === undefined || !isRead) throw notFound()
  }

declare module 'fastify' {
  interface FastifyRequest {
    /** The client that an API request counts for, its connection pool, and the maximum bytes of its body. */
    admitted: { client: Client; kind: 'pool' | 'waitPool' | 'pagePool'; bodyLimit: number }
    /** Token for the service, in place of the feed key or API token. */
    serviceToken?: string
    isFeed: boolean
    /** Request of a public page, of which the service receives no credentials. */
    isPage: boolean
  }
}
