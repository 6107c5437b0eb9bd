import { createHmac, hkdfSync, randomBytes, timingSafeEqual } from 'node:crypto'
import { LIMITS } from '@iodine/contracts'
import { isDuplicateKey, keyringOf } from '@iodine/service-kit'
import type { AuthContext } from '../../context.js'

/** Purpose of a challenge: a sign-in, or a new passkey of a user. */
type Purpose = 'sign-in' | `new-${string}`

/** Format of a challenge: random bytes, its expiry as 48 bits, and a MAC of both and the purpose. */
const RANDOM_BYTES = 16
const END_BYTES = 6
const MAC_BYTES = 32

const macOf = (secret: Buffer, purpose: Purpose, content: Buffer): Buffer => {
  const key = Buffer.from(hkdfSync('sha256', secret, '', 'iodine passkey challenges', MAC_BYTES))
  return createHmac('sha256', key).update(content).update(purpose).digest()
}

/**
 * Creates a challenge in base64url. It is not stored, as anybody may request one: its MAC proves that this service
 * created it.
 */
export const newChallenge = ({ config }: AuthContext, purpose: Purpose): string => {
  const [secret] = keyringOf(config.SECRETS_KEY).keys as [Buffer]
  const end = Buffer.alloc(END_BYTES)
  end.writeUIntBE(Date.now() + LIMITS.passkeyChallengeMs, 0, END_BYTES)
  const content = Buffer.concat([randomBytes(RANDOM_BYTES), end])
  return Buffer.concat([content, macOf(secret, purpose, content)]).toString('base64url')
}

/** Returns true for an unexpired challenge of this purpose whose MAC is valid under one of the keys. */
export const isChallenge = ({ config }: AuthContext, purpose: Purpose, challenge: string): boolean => {
  const bytes = Buffer.from(challenge, 'base64url')
  // Only the canonical base64url: another encoding of the same bytes would count as unused.
  if (bytes.length !== RANDOM_BYTES + END_BYTES + MAC_BYTES || bytes.toString('base64url') !== challenge)
    return false
  const content = bytes.subarray(0, RANDOM_BYTES + END_BYTES)
  const mac = bytes.subarray(content.length)
  const { keys } = keyringOf(config.SECRETS_KEY)
  if (!keys.some(secret => timingSafeEqual(macOf(secret, purpose, content), mac))) return false
  return content.readUIntBE(RANDOM_BYTES, END_BYTES) > Date.now()
}

/** Marks a challenge as used. Of concurrent calls, one returns true. */
export const useChallenge = async ({ models }: AuthContext, challenge: string): Promise<boolean> => {
  // Twice the challenge's lifetime: another replica's clock may be behind.
  const expires_at = new Date(Date.now() + 2 * LIMITS.passkeyChallengeMs)
  try {
    await models.usedChallenges.create({ _id: challenge, expires_at })
    return true
  } catch (error) {
    if (isDuplicateKey(error)) return false
    throw error
  }
}
