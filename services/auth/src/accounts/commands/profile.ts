import { DETAILS } from '@iodine/contracts'
import { conflict, inTransaction, isDuplicateKey, seal, unauthenticated } from '@iodine/service-kit'
import type { AuthContext } from '../../context.js'
import { type UserDoc, usernameKey } from '../models/user.js'
import { raiseUsersVersion } from './publish-user.js'

/** Returns the encryption context of a user's AI key: the key cannot be decrypted for another user. */
export const aiKeyContext = (userId: string): string => `ai-key:${userId}`

/**
 * Sets or changes the username. Throws 409 if another user has it, in any case. Services drop cached names when the
 * version in Redis rises. Without Redis nothing changes (503), and the change is acknowledged only after the version
 * rose.
 */
export const chooseUsername = async (
  context: AuthContext,
  userId: string,
  username: string,
): Promise<UserDoc> => {
  const { models, service, changedUsers } = context
  await raiseUsersVersion(context)
  const user = await inTransaction(service.mongo, async session => {
    const changed = await models.users
      .findOneAndUpdate(
        { _id: userId },
        { $set: { username, username_key: usernameKey(username) }, $inc: { revision: 1 } },
        { returnDocument: 'after', session },
      )
      .lean<UserDoc>()
    if (changed) await changedUsers.add({ id: userId }, { session })
    return changed
  }).catch(error => {
    throw isDuplicateKey(error) ? conflict(DETAILS.usernameTaken) : error
  })
  if (!user) throw unauthenticated()
  await raiseUsersVersion(context)
  return user
}

/** Stores the key encrypted, or deletes it (null). Idempotent. */
export const storeAiKey = async (
  { config, models }: AuthContext,
  userId: string,
  key: string | null,
): Promise<void> => {
  const sealed = key === null ? null : seal(config.SECRETS_KEY, aiKeyContext(userId), key)
  const { matchedCount } = await models.users.updateOne({ _id: userId }, { $set: { sealed_ai_key: sealed } })
  if (matchedCount === 0) throw unauthenticated()
}

/** Stores whether public reports may quote the user's IODs. Idempotent. */
export const allowQuotes = async (
  { models }: AuthContext,
  userId: string,
  quotable: boolean,
): Promise<void> => {
  const { matchedCount } = await models.users.updateOne({ _id: userId }, { $set: { quotable } })
  if (matchedCount === 0) throw unauthenticated()
}
