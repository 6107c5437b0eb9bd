import { authInternal, type ResponseOf } from '@iodine/contracts'
import { bearerToken, HttpError, hashOf, type Peers, unauthenticated, unavailable } from '@iodine/service-kit'

const CHECK_MS = 10_000
/** Maximum length of a key. */
const KEY_MAX = 200

/** Returns the key of an `Authorization` header: a bearer token (RFC 6750), or the password of Basic (RFC 7617) with any user name. */
export const feedKeyOf = (authorization: string | undefined): string | undefined => {
  const bearer = bearerToken(authorization)
  if (bearer) return bearer
  const encoded = /^Basic +([\w+/-]+={0,2})$/i.exec(authorization ?? '')?.[1]
  const pair = encoded && Buffer.from(encoded, 'base64').toString()
  return pair?.includes(':') ? pair.slice(pair.indexOf(':') + 1) : undefined
}

/** A live feed key, its user, and a token for the services. */
export type CheckedKey = ResponseOf<typeof authInternal.checkFeedKey>
export type FeedKeyCheck = (authorization: string | undefined) => Promise<CheckedKey>

/**
 * Creates the check of feed keys. It queries auth at each request, so that a revocation takes effect at once.
 * @throws HttpError 401 with a challenge for an invalid key, 503 if the key cannot be checked
 */
export const createFeedKeyCheck = (peers: Peers): FeedKeyCheck => {
  const refused = () => unauthenticated('Basic realm="feeds", charset="UTF-8"')
  return async authorization => {
    const key = feedKeyOf(authorization)
    if (!key || key.length > KEY_MAX) throw refused()
    try {
      return await peers.call('auth', authInternal.checkFeedKey, {
        body: { hash: hashOf(key) },
        ms: CHECK_MS,
      })
    } catch (error) {
      throw error instanceof HttpError && error.status === 404 ? refused() : unavailable(undefined, error)
    }
  }
}
