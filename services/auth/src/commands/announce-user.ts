import { usersVersionKey } from '@iodine/service-kit'
import type { AuthContext } from '../context.js'
import type { UserDoc } from '../models/user.js'

const REPAIR_BATCH = 500

/** Makes every service ask for names anew. Rejects while Redis is down. */
export const raiseUsersVersion = async ({ config, service }: AuthContext): Promise<void> => {
  await service.redis.incr(usersVersionKey(config.REDIS_PREFIX))
}

/** Tells the other services of the user, then notes that it did. Repeating it is harmless. */
export const announceUser = async (context: AuthContext, user: UserDoc): Promise<void> => {
  const { models, service } = context
  const id = user._id.toHexString()
  const { username, revision } = user
  await service.queues.emit({
    type: 'user.created',
    data: { id, username: null, created_at: user.created_at.toISOString() },
  })
  if (username !== null) await service.queues.emit({ type: 'user.renamed', data: { id, username, revision } })
  await models.users.updateOne({ _id: user._id, revision }, { $set: { announced: true } })
}

/** Announces whom a crash, or a Redis that was down, left unannounced. Returns how many. */
export const repairAnnouncements = async (context: AuthContext): Promise<number> => {
  const users = await context.models.users.find({ announced: false }).limit(REPAIR_BATCH).lean<UserDoc[]>()
  // A rename may have been cut off between its write and the raised version.
  if (users.length) await raiseUsersVersion(context)
  for (const user of users) await announceUser(context, user)
  return users.length
}
