import { notFound } from '@iodine/service-kit'
import type { Types } from 'mongoose'
import type { AuthContext } from '../context.js'
import type { DeletionDoc } from '../models/deletion.js'
import type { UserDoc } from '../models/user.js'
import { raiseUsersVersion } from './announce-user.js'
import { endSessions } from './sessions.js'

/** How long the one who began something has before the repair steps in. */
const GRACE_MS = 15_000
/** After this no request of the user is under way any more: what one brought in late goes with a second erasure. */
const SETTLE_MS = 300_000
const REPAIR_BATCH = 100

export const findAccount = async ({ models }: AuthContext, email: string): Promise<UserDoc> => {
  const user = await models.users.findOne({ email, deleted_at: null }).lean<UserDoc>()
  if (!user) throw notFound()
  return user
}

/** Whatever lets somebody in, now or later: sessions, links, extension codes. */
const lockOut = async (context: AuthContext, { _id, email }: UserDoc): Promise<void> => {
  const { models } = context
  await models.links.deleteOne({ _id: email })
  await models.extensionCodes.deleteOne({ _id })
  await endSessions(context, _id)
}

/** Ends all sessions of an account and lets nobody sign in to it. Repeating it changes nothing. Throws 404. */
export const suspendAccount = async (context: AuthContext, email: string): Promise<UserDoc> => {
  const user = await findAccount(context, email)
  await context.models.users.updateOne(
    { _id: user._id, suspended_at: null },
    { $set: { suspended_at: new Date() } },
  )
  await lockOut(context, user)
  return user
}

/** Lets a suspended account sign in again. Throws 404. */
export const unsuspendAccount = async (context: AuthContext, email: string): Promise<UserDoc> => {
  const user = await findAccount(context, email)
  await context.models.users.updateOne({ _id: user._id }, { $unset: { suspended_at: 1 } })
  return user
}

/** Has the other services forget the user. An event that is out already, and not done with, stays the only one. */
const announceDeletion = ({ service }: AuthContext, userId: Types.ObjectId): Promise<void> =>
  service.queues.emit({ type: 'user.deleted', id: userId.toHexString() })

/**
 * Removes a user marked as deleted, with all that this service keeps of them; the document goes last, so that a cut-off
 * removal is found and run again. E-mail address and username are free from then on.
 */
const removeUser = async (context: AuthContext, user: UserDoc): Promise<void> => {
  const { models } = context
  const { _id, email, deleted_at = new Date() } = user
  await lockOut(context, user)
  // An invitation that is unused goes; a used code stays used, nobody's.
  await models.betaCodes.deleteMany({ email, used: false })
  await models.betaCodes.updateMany(
    { $or: [{ email }, { used_by: email }] },
    { $set: { email: null, used_by: null } },
  )
  await models.betaCodes.updateMany({ created_by: _id }, { $set: { created_by: null } })
  await models.deletions.updateOne(
    { _id },
    { $setOnInsert: { deleted_at, erased_at: null, check_at: new Date(Date.now() + GRACE_MS) } },
    { upsert: true },
  )
  await models.users.deleteOne({ _id })
  await raiseUsersVersion(context)
  await announceDeletion(context, _id)
}

/**
 * Deletes an account that meets the conditions: here before this resolves, in the other services soon after. False when
 * it does not, or not any more. What a crash or a Redis that is down leaves undone, the repair does.
 */
export const deleteAccount = async (
  context: AuthContext,
  { _id }: Pick<UserDoc, '_id'>,
  conditions: Record<string, unknown> = {},
): Promise<boolean> => {
  const user = await context.models.users
    .findOneAndUpdate(
      { _id, ...conditions },
      { $set: { deleted_at: new Date() } },
      { returnDocument: 'after' },
    )
    .lean<UserDoc>()
  if (user) await removeUser(context, user)
  return user !== null
}

/** Notes that all services have forgotten the user, the first of them asked `elapsedMs` ago. */
export const confirmErasure = async (
  { models }: AuthContext,
  id: string,
  elapsedMs: number,
): Promise<void> => {
  const deletion = await models.deletions.findById(id).lean<DeletionDoc>()
  if (!deletion) return
  const settled = new Date(deletion.deleted_at.getTime() + SETTLE_MS)
  if (Date.now() - elapsedMs >= settled.getTime()) await models.deletions.deleteOne({ _id: id })
  else await models.deletions.updateOne({ _id: id }, { $set: { erased_at: new Date(), check_at: settled } })
}

/** Goes on with deletions that a crash, or a part that was down, cut off, and with the second erasures. Returns how many. */
export const repairDeletions = async (context: AuthContext): Promise<number> => {
  const { models } = context
  const now = Date.now()
  const users = await models.users
    .find({ deleted_at: { $lte: new Date(now - GRACE_MS) } })
    .limit(REPAIR_BATCH)
    .lean<UserDoc[]>()
  for (const user of users) await removeUser(context, user)
  const due = await models.deletions
    .find({ check_at: { $lte: new Date(now) } })
    .sort({ check_at: 1 })
    .limit(REPAIR_BATCH)
    .lean<DeletionDoc[]>()
  if (due.length) await raiseUsersVersion(context)
  for (const { _id } of due) {
    await models.deletions.updateOne({ _id }, { $set: { check_at: new Date(now + GRACE_MS) } })
    await announceDeletion(context, _id)
  }
  return users.length + due.length
}
