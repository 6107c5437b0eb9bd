import { generateKeyPairSync } from 'node:crypto'
import { sessionKey, signToken } from '@iodine/service-kit'
import { newId } from '@iodine/test-kit'
import type { Redis } from 'ioredis'

/** Somebody with a live session: their token, the keys it is checked with as auth tells them, and where the gateway looks it up. */
export const createSession = async (redis: Redis, prefix: string) => {
  const { privateKey, publicKey } = generateKeyPairSync('ed25519')
  const jwks = JSON.stringify({
    keys: [{ ...publicKey.export({ format: 'jwk' }), alg: 'EdDSA', use: 'sig' }],
  })
  const pkcs8 = privateKey.export({ type: 'pkcs8', format: 'der' })
  const signingKey = await crypto.subtle.importKey('pkcs8', pkcs8, 'Ed25519', false, ['sign'])
  const [id, sid] = [newId(), newId()]
  const key = sessionKey(prefix, sid)
  await redis.set(key, JSON.stringify({ user_id: id, scope: 'full' }))
  return { token: await signToken(signingKey, { id, sid, scope: 'full' }, 3_600_000), jwks, key }
}
