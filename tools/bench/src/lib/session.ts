import { generateKeyPairSync } from 'node:crypto'
import { SESSION_REVOKED, sessionKey, signToken } from '@iodine/service-kit'
import { newId, startTestRedis, uniquePrefix } from '@iodine/test-kit'
import { Redis } from 'ioredis'
import { Pool } from 'undici'

/** Starts a Redis with the session of a member, for a gateway and services without auth. */
export const startSession = async () => {
  const { privateKey, publicKey } = generateKeyPairSync('ed25519')
  const pkcs8 = privateKey.export({ type: 'pkcs8', format: 'der' })
  const key = await crypto.subtle.importKey('pkcs8', pkcs8, 'Ed25519', false, ['sign'])
  const kid = newId()
  const server = await startTestRedis()
  const redis = new Redis(server.url)
  const [prefix, id, sid] = [uniquePrefix(), newId(), newId()]
  await redis.set(sessionKey(prefix, sid), JSON.stringify({ user_id: id, scope: 'full' }))
  const token = await signToken({ kid, key }, { id, sid, scope: 'full' }, 3_600_000)
  return {
    /** The public keys, as auth's `/internal/jwks` returns them. */
    jwks: JSON.stringify({
      keys: [{ ...publicKey.export({ format: 'jwk' }), kid, alg: 'EdDSA', use: 'sig' }],
    }),
    /** Settings for the gateway and services. */
    env: {
      REDIS_URL: server.url,
      REDIS_PREFIX: prefix,
      SERVICE_KEY: newId() + newId(),
      // Requests are counted, but never reach the limit.
      USER_REQUESTS_A_MINUTE: '1000000000',
    },
    /** Creates a client with `width` keep-alive connections. It rejects for an unsuccessful response. */
    connect(url: string, width: number) {
      const pool = new Pool(url, { connections: width })
      return {
        async get(path: string): Promise<void> {
          const { statusCode, body } = await pool.request({
            path: `/api/v1${path}`,
            method: 'GET',
            headers: { authorization: `Bearer ${token}` },
          })
          if (statusCode >= 300) throw new Error(`${url} returned ${statusCode}: ${await body.text()}`)
          await body.dump({ limit: 1_000_000 })
        },
        close: () => pool.close(),
      }
    },
    /** Ends the session, as a sign-out does. */
    revoke: () => redis.set(sessionKey(prefix, sid), SESSION_REVOKED),
    async stop() {
      redis.disconnect()
      await server.stop()
    },
  }
}
