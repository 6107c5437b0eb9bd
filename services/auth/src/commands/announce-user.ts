import type { DomainEvent, Notice } from '@iodine/contracts'
import { createVersion, tellCommunity, usersVersionKey } from '@iodine/service-kit'
import type { AuthContext } from '../context.js'
import type { UserDoc } from '../models/user.js'

const REPAIR_BATCH = 500
/** How long notice is given to the workers before it is given again. */
const RECHECK_MS = 15_000

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

/** Gives notice again of whom the community does not know yet: of a Redis that lost it, too. Returns of how many. */
export const repairAnnouncements = async (context: AuthContext): Promise<number> => {
  const { models, service } = context
  const room = await service.queues.roomForNotices()
  if (room === 0) return 0
  const now = Date.now()
  const users = await models.users
    .find({ announced: false, check_at: { $not: { $gt: new Date(now) } } })
    .limit(Math.min(REPAIR_BATCH, room))
    .lean<UserDoc[]>()
  if (users.length === 0) return 0
  // A rename may have been cut off between its write and the raised version.
  await raiseUsersVersion(context)
  for (const user of users) await giveNotice(context, user)
  await models.users.updateMany(
    { _id: { $in: users.map(({ _id }) => _id) }, announced: false },
    { $max: { check_at: new Date(now + RECHECK_MS) } },
  )
  return users.length
}
