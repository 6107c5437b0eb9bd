import { createHmac, hkdfSync, randomBytes, timingSafeEqual } from 'node:crypto'
import { LIMITS } from '@iodine/contracts'
import { isDuplicateKey, keyringOf } from '@iodine/service-kit'
import type { AuthContext } from '../../context.js'

/** What a challenge is for: of a sign-in, or of a user's new passkey. */
type Purpose = 'sign-in' | `new-${string}`

/** Random bytes, then the time of its end as 48 bits, then a MAC of both and the purpose. */
const RANDOM_BYTES = 16
const END_BYTES = 6
const MAC_BYTES = 32

const macOf = (secret: Buffer, purpose: Purpose, content: Buffer): Buffer => {
  const key = Buffer.from(hkdfSync('sha256', secret, '', 'iodine passkey challenges', MAC_BYTES))
  return createHmac('sha256', key).update(content).update(purpose).digest()
}

/**
 * Makes a challenge in base64url. Nothing is stored for it, as anybody may ask for one: its MAC shows that it is
 * ours.
 */
export const newChallenge = ({ config }: AuthContext, purpose: Purpose): string => {
  const [secret] = keyringOf(config.SECRETS_KEY).keys as [Buffer]
  const end = Buffer.alloc(END_BYTES)
  end.writeUIntBE(Date.now() + LIMITS.passkeyChallengeMs, 0, END_BYTES)
  const content = Buffer.concat([randomBytes(RANDOM_BYTES), end])
  return Buffer.concat([content, macOf(secret, purpose, content)]).toString('base64url')
}

/** True for a challenge of ours, made with any of the keys, for this purpose, that has not ended. */
export const isChallenge = ({ config }: AuthContext, purpose: Purpose, challenge: string): boolean => {
  const bytes = Buffer.from(challenge, 'base64url')
  // One spelling a challenge: another one of the same bytes would pass for unused.
  if (bytes.length !== RANDOM_BYTES + END_BYTES + MAC_BYTES || bytes.toString('base64url') !== challenge)
    return false
  const content = bytes.subarray(0, RANDOM_BYTES + END_BYTES)
  const mac = bytes.subarray(content.length)
  const { keys } = keyringOf(config.SECRETS_KEY)
  if (!keys.some(secret => timingSafeEqual(macOf(secret, purpose, content), mac))) return false
  return content.readUIntBE(RANDOM_BYTES, END_BYTES) > Date.now()
}

/** Uses a challenge up. Of several calls at once, one returns true. */
export const useChallenge = async ({ models }: AuthContext, challenge: string): Promise<boolean> => {
  // Twice as long as it lasts: another replica's clock may be behind.
  const expires_at = new Date(Date.now() + 2 * LIMITS.passkeyChallengeMs)
  try {
    await models.usedChallenges.create({ _id: challenge, expires_at })
    return true
  } catch (error) {
    if (isDuplicateKey(error)) return false
    throw error
  }
}
