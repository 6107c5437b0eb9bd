import { authInternal } from '@iodine/contracts'
import { ifFound, type Service, UnknownKeyError, unseal } from '@iodine/service-kit'
import type { WorkersConfig } from '../config.js'

/**
 * Creates the function that decrypts users' AI keys. It takes a user's id, and the sealed key if known; otherwise it
 * queries auth. It resolves to undefined for a user without a key, or if the key cannot be decrypted.
 */
export const createKeyOpener = (
  { SECRETS_KEY }: Pick<WorkersConfig, 'SECRETS_KEY'>,
  { peers, log }: Pick<Service, 'peers' | 'log'>,
) => {
  const getSealedKey = async (id: string): Promise<string | null> =>
    (await ifFound(peers.call('auth', authInternal.getSealedAiKey, { params: { id } })))?.sealed ?? null
  return async (userId: string, known?: string): Promise<string | undefined> => {
    const sealed = known ?? (await getSealedKey(userId))
    try {
      return sealed === null ? undefined : unseal(SECRETS_KEY, `ai-key:${userId}`, sealed)
    } catch (error) {
      // Sealed with another SECRETS_KEY: the user has to enter the key again.
      const key = error instanceof UnknownKeyError ? error.keyId : undefined
      log.error({ user: userId, key }, 'an AI key does not open')
      return undefined
    }
  }
}
