import { notFound } from '@iodine/service-kit'
import type { Types } from 'mongoose'
import type { AuthContext } from '../context.js'
import type { DeletionDoc } from '../models/deletion.js'
import type { UserDoc } from '../models/user.js'
import { raiseUsersVersion } from './announce-user.js'
import { endUserApiTokens } from './api-tokens.js'
import { dropAddressChange } from './change-address.js'
import { dropExport } from './export-data.js'
import { endSessions } from './sessions.js'

/** Time that a request has to finish before the repair takes over. */
const GRACE_MS = 15_000
/** After this time no request of the user is in flight: a second erasure removes what late ones stored. */
const SETTLE_MS = 300_000
const REPAIR_BATCH = 100

export const findAccount = async ({ models }: AuthContext, email: string): Promise<UserDoc> => {
  const user = await models.users.findOne({ email, deleted_at: null }).lean<UserDoc>()
  if (!user) throw notFound()
  return user
}

/** Removes every means of signing in, links, sessions and extension codes, API tokens, and links that change the account. */
const lockOut = async (context: AuthContext, { _id, email }: UserDoc): Promise<void> => {
  const { models } = context
  await models.links.deleteOne({ _id: email })
  await dropAddressChange(context, _id)
  await models.accountLinks.deleteMany({ user_id: _id })
  await endSessions(context, _id)
  await endUserApiTokens(context, _id)
}

/** Ends all sessions and API tokens of an account and prevents sign-in. Idempotent. Throws 503 while Redis is down. */
export const suspendAccount = async (context: AuthContext, user: UserDoc): Promise<UserDoc> => {
  await context.models.users.updateOne(
    { _id: user._id, suspended_at: null },
    { $set: { suspended_at: new Date() } },
  )
  await lockOut(context, user)
  return user
}

/** Lets a suspended account sign in again. Idempotent. */
export const unsuspendAccount = async (context: AuthContext, user: UserDoc): Promise<UserDoc> => {
  await context.models.users.updateOne({ _id: user._id }, { $unset: { suspended_at: 1 } })
  return user
}

/** Makes the other services erase the user's data. A pending event is not added twice. */
const announceDeletion = async ({ service }: AuthContext, userId: Types.ObjectId): Promise<void> => {
  const user_id = userId.toHexString()
  // A finished job must not keep back another with its id.
  const options = { jobId: `user-deleted-${user_id}`, removeOnComplete: true, removeOnFail: true }
  await service.queues.add('erasures', { user_id }, options)
}

/**
 * Removes a user marked as deleted and all data about the user in this service. The user document goes last,
 * so that the repair finds and resumes an interrupted removal. E-mail address and username are free
 * afterwards.
 */
const removeUser = async (context: AuthContext, user: UserDoc): Promise<void> => {
  const { models } = context
  const { _id, email, deleted_at = new Date() } = user
  await lockOut(context, user)
  await models.feedKeys.deleteMany({ user_id: _id })
  await models.passkeys.deleteMany({ user_id: _id })
  await dropExport(context, _id)
  // Unused invitations are deleted. Used codes stay used, without addresses.
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
 * Deletes an account that meets the conditions: in this service before this resolves, in the others soon
 * after. Returns false when the account does not meet them, also due to a concurrent change. The repair
 * completes deletions that a crash or a Redis outage interrupted.
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

/** Records that all services have erased the user's data. The first of them was asked `elapsedMs` ago. */
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

/** Resumes interrupted deletions and starts due second erasures. Returns their number. */
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
