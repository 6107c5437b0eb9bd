import type { DomainEvent, Notice } from '@iodine/contracts'
import { createVersion, repeatNotices, tellCommunity, usersVersionKey } from '@iodine/service-kit'
import type { AuthContext } from '../context.js'
import type { UserDoc } from '../models/user.js'

/** Makes every service ask for names anew. Rejects while Redis is down. */
export const raiseUsersVersion = async ({ config, service }: AuthContext): Promise<void> => {
  await createVersion(service.redis, usersVersionKey(config.REDIS_PREFIX)).raise()
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

/** Has the workers see to it that the community learns how the user stands. */
export const giveNotice = async ({ service }: AuthContext, { _id, revision }: UserDoc): Promise<void> => {
  const id = _id.toHexString()
  const notice: Notice =
    revision === 0 ? { type: 'user.created', id } : { type: 'user.renamed', id, revision }
  await service.queues.emit(notice)
}

/** Tells the community how a user stands, then notes that it knows. Repeating it is harmless. */
export const announceUser = async ({ models, service }: AuthContext, id: string): Promise<void> => {
  const user = await models.users.findOne({ _id: id, deleted_at: null }).lean<UserDoc>()
  if (!user) return
  await tellCommunity(service.peers, eventsOfUser(user), check_at =>
    models.users.updateOne({ _id: user._id }, { $max: { check_at } }),
  )
  // A rename meanwhile is not announced yet.
  await models.users.updateOne(
    { _id: user._id, revision: user.revision },
    { $set: { announced: true }, $unset: { check_at: 1 } },
  )
}

/** Gives notice again of users whom the community does not know yet. Resolves to their number. */
export const repairAnnouncements = (context: AuthContext): Promise<number> =>
  repeatNotices(
    context.service.queues,
    context.models.users,
    {},
    // A rename may have been cut off between its write and the raised version.
    () => raiseUsersVersion(context),
    user => giveNotice(context, user),
  )
