import { setTimeout as sleep } from 'node:timers/promises'
import { API_SCOPES, type ApiScope, rankOfTlp, TLP_LEVELS, type Tlp } from '@iodine/contracts'
import {
  type CryptoKey,
  createLocalJWKSet,
  createRemoteJWKSet,
  errors,
  type JWTVerifyGetKey,
  jwtVerify,
  SignJWT,
} from 'jose'
import { LRUCache } from 'lru-cache'

const SCOPES = ['full', 'collector', 'feed', 'api'] as const

/** The user of a request, from the token; the gateway checks separately whether the session is alive. */
export interface Caller {
  id: string
  sid: string
  /** `feed`: another system, which only reads feeds; `api`: a script with an API token. */
  scope: (typeof SCOPES)[number]
  /** For the scope `feed`: the strictest TLP level that the caller may read. */
  tlp?: Tlp
  /** For the scope `api`: the scopes of the API token. */
  scopes?: readonly ApiScope[]
}

export type TokenVerifier = (token: string) => Promise<Caller | undefined>

/** Returns true if the key set could not be fetched. */
const isFetchFailure = (error: unknown): boolean =>
  error instanceof TypeError ||
  (error as { code?: string }).code === 'ERR_JWKS_TIMEOUT' ||
  /JSON Web Key Set HTTP response/.test(String(error))

const ISSUER = 'iodine'
const CACHE_SIZE = 10_000

const VERIFY = { issuer: ISSUER, algorithms: ['EdDSA'], requiredClaims: ['sub', 'sid', 'exp'] }

/**
 * Creates a verifier of signature (EdDSA, by the key that `kid` names), issuer, expiry and scope. Verified tokens are
 * cached, bounded, until they expire: a signature check costs more than the rest of a request.
 */
export const createTokenVerifier = (keys: JWTVerifyGetKey): TokenVerifier => {
  const named: JWTVerifyGetKey = (header, token) => {
    if (header.kid === undefined) throw new errors.JWKSNoMatchingKey()
    return keys(header, token)
  }
  // Wall clock, as for token expiry: it continues while the machine sleeps.
  const verified = new LRUCache<string, Caller>({ max: CACHE_SIZE, perf: Date })
  return async token => {
    const known = verified.get(token)
    if (known) return known
    try {
      const { payload } = await jwtVerify(token, named, VERIFY)
      // An unknown scope must not become a known one.
      const scope = SCOPES.find(one => one === payload.scope)
      if (!scope) return undefined
      const tlp = TLP_LEVELS.find(one => one === payload.tlp)
      // A feed token needs a TLP level below red.
      if (scope === 'feed' && (!tlp || rankOfTlp(tlp) >= rankOfTlp('red'))) return undefined
      const given = Array.isArray(payload.scopes) ? payload.scopes : []
      const scopes = API_SCOPES.filter(one => given.includes(one))
      if (scope === 'api' && scopes.length === 0) return undefined
      const caller: Caller = {
        id: String(payload.sub),
        sid: String(payload.sid),
        scope,
        ...(scope === 'feed' && tlp && { tlp }),
        ...(scope === 'api' && { scopes }),
      }
      const ttl = Math.floor(Number(payload.exp) * 1000 - Date.now())
      // A TTL of 0 means no expiry to the cache.
      if (ttl > 0) verified.set(token, caller, { ttl })
      return caller
    } catch (error) {
      // A failed fetch of the key set proves nothing about the token.
      if (isFetchFailure(error)) throw error
      return undefined
    }
  }
}

/** Minimum interval between fetches of the key set for tokens with an unknown key id. */
const REFETCH_MS = 1_000

/**
 * Creates the resolver of the auth service's public keys. It fetches them on first use and every ten minutes, and uses
 * cached keys while auth is down. A token with an unknown key id waits for a fetch that begins after its arrival, so
 * that a key rotation ends no session. Rejects if that fetch fails.
 */
export const remoteKeys = (authUrl: string): JWTVerifyGetKey => {
  const remote = createRemoteJWKSet(new URL('/internal/jwks', authUrl), {
    timeoutDuration: 2_000,
    // Only `refetch` fetches again.
    cooldownDuration: Number.POSITIVE_INFINITY,
  })
  let next: Promise<void> | undefined
  let last = Number.NEGATIVE_INFINITY
  const refetch = (): Promise<void> => {
    next ??= (async () => {
      await sleep(Math.max(0, last + REFETCH_MS - performance.now()))
      // A fetch that began before may miss the key.
      if (remote.reloading) await remote.reload().catch(() => {})
      last = performance.now()
      next = undefined
      await remote.reload()
    })()
    return next
  }
  return async (header, token) => {
    try {
      return await remote(header, token)
    } catch (error) {
      if (error instanceof errors.JWKSNoMatchingKey) {
        await refetch()
        return remote(header, token)
      }
      const known = remote.jwks()
      if (!known || !isFetchFailure(error)) throw error
      return createLocalJWKSet(known)(header, token).catch(fault => {
        // The key may be a new one.
        throw fault instanceof errors.JWKSNoMatchingKey ? error : fault
      })
    }
  }
}

/** A private key and its id, which its tokens contain. */
export interface SigningKey {
  kid: string
  key: CryptoKey
}

/**
 * Signs a token for the services.
 * @param end lifetime in milliseconds, or the moment of its end: both are rounded down to seconds
 */
export const signToken = (
  { kid, key }: SigningKey,
  { id, sid, scope, tlp, scopes }: Caller,
  end: number | Date,
): Promise<string> => {
  const now = new Date()
  return new SignJWT({ sid, scope, ...(tlp && { tlp }), ...(scopes && { scopes }) })
    .setProtectedHeader({ alg: 'EdDSA', typ: 'JWT', kid })
    .setIssuer(ISSUER)
    .setSubject(id)
    .setIssuedAt(now)
    .setExpirationTime(typeof end === 'number' ? new Date(now.getTime() + end) : end)
    .sign(key)
}

/** Returns the token of an `Authorization: Bearer` header (RFC 9110, 11.4). */
export const bearerToken = (header: string | undefined): string | undefined =>
  /^Bearer +([^\s]+)$/i.exec(header ?? '')?.[1]
