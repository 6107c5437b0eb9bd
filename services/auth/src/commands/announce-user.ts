import type { DomainEvent, Notice } from '@iodine/contracts'
import { createVersion, repeatNotices, tellCommunity, usersVersionKey } from '@iodine/service-kit'
import type { AuthContext } from '../context.js'
import type { UserDoc } from '../models/user.js'

/** Invalidates cached usernames in every service. Rejects while Redis is down. */
export const raiseUsersVersion = async ({ config, service }: AuthContext): Promise<void> => {
  await createVersion(service.redis, usersVersionKey(config.REDIS_PREFIX)).raise()
}

/** The events that lead to a user's present state. */
export const eventsOfUser = ({ _id, username, revision, created_at }: UserDoc): DomainEvent[] => {
  const id = _id.toHexString()
  const created: DomainEvent = {
    type: 'user.created',
    data: { id, username: null, created_at: created_at.toISOString() },
  }
  return username === null ? [created] : [created, { type: 'user.renamed', data: { id, username, revision } }]
}

/** Queues a job that sends the user's state to the community service. */
export const giveNotice = async ({ service }: AuthContext, { _id, revision }: UserDoc): Promise<void> => {
  const id = _id.toHexString()
  const notice: Notice =
    revision === 0 ? { type: 'user.created', id } : { type: 'user.renamed', id, revision }
  await service.queues.emit(notice)
}

/** Sends a user's state to the community service, then marks it as announced. Idempotent. */
export const announceUser = async ({ models, service }: AuthContext, id: string): Promise<void> => {
  const user = await models.users.findOne({ _id: id, deleted_at: null }).lean<UserDoc>()
  if (!user) return
  await tellCommunity(service.peers, eventsOfUser(user), check_at =>
    models.users.updateOne({ _id: user._id }, { $max: { check_at } }),
  )
  // Matches the revision, as a concurrent rename is not announced yet.
  await models.users.updateOne(
    { _id: user._id, revision: user.revision },
    { $set: { announced: true }, $unset: { check_at: 1 } },
  )
}

/** Queues notices again for users that the community service is not up to date on. Returns their number. */
export const repairAnnouncements = (context: AuthContext): Promise<number> =>
  repeatNotices(
    context.service.queues,
    context.models.users,
    {},
    user => giveNotice(context, user),
    // A crash may have separated a rename from its version change in Redis.
    () => raiseUsersVersion(context),
  )
