import { DETAILS } from '@iodine/contracts'
import { conflict, isDuplicateKey, seal, unauthenticated } from '@iodine/service-kit'
import type { AuthContext } from '../context.js'
import type { UserDoc } from '../models/user.js'
import { giveNotice, raiseUsersVersion } from './announce-user.js'

/** The context under which a user's AI key is sealed: it opens for nobody else. */
export const aiKeyContext = (userId: string): string => `ai-key:${userId}`

/**
 * Chooses or changes the public name. Throws 409 when somebody has it, in any case. Services forget the old name when
 * the version in Redis rises, so without Redis nothing is changed (503), and nothing is acknowledged before it rose.
 */
export const chooseUsername = async (
  context: AuthContext,
  userId: string,
  username: string,
): Promise<UserDoc> => {
  const { models, service } = context
  await raiseUsersVersion(context)
  let user: UserDoc | null
  try {
    user = await models.users
      .findOneAndUpdate(
        { _id: userId },
        {
          $set: { username, username_key: username.toLowerCase(), announced: false },
          $inc: { revision: 1 },
          $unset: { check_at: 1 },
        },
        { returnDocument: 'after' },
      )
      .lean<UserDoc>()
  } catch (error) {
    throw isDuplicateKey(error) ? conflict(DETAILS.usernameTaken) : error
  }
  if (!user) throw unauthenticated()
  await raiseUsersVersion(context)
  await giveNotice(context, user).catch(error => service.log.warn({ err: error }, 'not announced yet'))
  return user
}

/** Stores the key sealed, or forgets it (null). Repeating it changes nothing. */
export const storeAiKey = async (
  { config, models }: AuthContext,
  userId: string,
  key: string | null,
): Promise<void> => {
  const sealed = key === null ? null : seal(config.SECRETS_KEY, aiKeyContext(userId), key)
  const { matchedCount } = await models.users.updateOne({ _id: userId }, { $set: { sealed_ai_key: sealed } })
  if (matchedCount === 0) throw unauthenticated()
}
