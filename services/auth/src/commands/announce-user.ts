import type { DomainEvent } from '@iodine/contracts'
import { usersVersionKey } from '@iodine/service-kit'
import type { AuthContext } from '../context.js'
import type { UserDoc } from '../models/user.js'

const REPAIR_BATCH = 500

/** Makes every service ask for names anew. Rejects while Redis is down. */
export const raiseUsersVersion = async ({ config, service }: AuthContext): Promise<void> => {
  await service.redis.incr(usersVersionKey(config.REDIS_PREFIX))
}

/** What a user's present state comes from. */
export const eventsOfUser = ({ _id, username, revision, created_at }: UserDoc): DomainEvent[] => {
  const id = _id.toHexString()
  const created: DomainEvent = {
    type: 'user.created',
    data: { id, username: null, created_at: created_at.toISOString() },
  }
  return username === null ? [created] : [created, { type: 'user.renamed', data: { id, username, revision } }]
}

/** Tells the other services of the user, then notes that it did. Repeating it is harmless. */
export const announceUser = async (context: AuthContext, user: UserDoc): Promise<void> => {
  const { models, service } = context
  for (const event of eventsOfUser(user)) await service.queues.emit(event)
  await models.users.updateOne({ _id: user._id, revision: user.revision }, { $set: { announced: true } })
}

/** Announces whom a crash, or a Redis that was down, left unannounced. Returns how many. */
export const repairAnnouncements = async (context: AuthContext): Promise<number> => {
  const users = await context.models.users.find({ announced: false }).limit(REPAIR_BATCH).lean<UserDoc[]>()
  // A rename may have been cut off between its write and the raised version.
  if (users.length) await raiseUsersVersion(context)
  for (const user of users) await announceUser(context, user)
  return users.length
}
