import {
  type BodyOf,
  DETAILS,
  email as emailSchema,
  LIMITS,
  type MailJob,
  type profileApi,
  type UsedAccountLink,
} from '@iodine/contracts'
import {
  badRequest,
  type FastifyRequest,
  hashOf,
  inTransaction,
  invalid,
  unauthenticated,
} from '@iodine/service-kit'
import type { Types } from 'mongoose'
import { newToken } from '../../codes.js'
import type { AuthContext } from '../../context.js'
import { sendMail } from '../../mails/commands/send-mail.js'
import { endSessionsEventually } from '../../sessions/commands/sessions.js'
import type { AccountLinkDoc } from '../models/account-link.js'
import { type UserDoc, usernameKey } from '../models/user.js'
import { presentEmail } from '../presenters/email.js'
import { dropAddressChange } from './change-address.js'

/** Milliseconds after which the mail about the scheduled deletion expires. */
const MAIL_TTL_MS = 24 * 3_600_000

/** Returns an address in its stored form; undefined for another text. */
const emailOf = (text: string): string | undefined => emailSchema.safeParse(text).data

/**
 * Mails a link that schedules the account's deletion. A new link invalidates an earlier one. Throws 422 unless the
 * owner typed their username or address.
 */
export const requestDeletion = async (
  context: AuthContext,
  { _id, email, username }: UserDoc,
  { confirm: typed, delete_comments }: BodyOf<typeof profileApi.requestDeletion>,
): Promise<void> => {
  const { config, limits, models } = context
  const name = usernameKey(typed.trim())
  if (emailOf(typed) !== email && (username === null || name.replace(/^@/, '') !== usernameKey(username)))
    throw invalid([DETAILS.notConfirmed])
  await limits.email.use(hashOf(email))
  await limits.mails.use(hashOf(email))
  const token = newToken()
  const hash = hashOf(token)
  const expires_at = new Date(Date.now() + LIMITS.deletionLinkMs)
  await models.accountLinks.deleteMany({ user_id: _id, purpose: 'deletion' })
  await models.accountLinks.create({
    _id: hash,
    user_id: _id,
    purpose: 'deletion',
    delete_comments,
    expires_at,
  })
  const link = `${config.PUBLIC_URL}/account-link?token=${token}`
  await sendMail(context, hash, { template: 'confirm-deletion', to: email, link }, expires_at)
}

/**
 * Schedules an account's deletion in 7 days, ends its sessions, and records it. An earlier date is kept. Throws 400
 * for a closed account.
 */
export const scheduleDeletion = async (
  context: AuthContext,
  { user_id: userId, delete_comments }: Pick<AccountLinkDoc, 'user_id' | 'delete_comments'>,
  request: FastifyRequest,
): Promise<UsedAccountLink> => {
  const id = userId.toHexString()
  return context.service.audit.during(
    { request, user: { id } },
    { action: 'account.deletion-scheduled', subject: { kind: 'account', id } },
    () => schedule(context, userId, delete_comments ?? false),
  )
}

const schedule = async (
  context: AuthContext,
  userId: Types.ObjectId,
  delete_comments: boolean,
): Promise<UsedAccountLink> => {
  const { config, models, service } = context
  const open = { _id: userId, deleted_at: null, suspended_at: null }
  const delete_at = new Date(Date.now() + LIMITS.deletionDelayMs)
  await inTransaction(service.mongo, async session => {
    const user = await models.users
      .findOneAndUpdate({ ...open, delete_at: null }, { $set: { delete_at, delete_comments } }, { session })
      .lean<UserDoc>()
    if (!user) return
    const mail: MailJob = {
      template: 'deletion-scheduled',
      to: user.email,
      link: `${config.PUBLIC_URL}/login`,
      delete_at: delete_at.toISOString(),
    }
    const id = `deletion-${userId.toHexString()}-${delete_at.getTime()}`
    await sendMail(context, id, mail, new Date(Date.now() + MAIL_TTL_MS), session)
  })
  const user = await models.users.findOne({ ...open, delete_at: { $ne: null } }).lean<UserDoc>()
  if (!user?.delete_at) throw badRequest(DETAILS.badToken)
  await dropAddressChange(context, userId)
  await endSessionsEventually(context, userId)
  return { outcome: 'scheduled', email: presentEmail(user.email), delete_at: user.delete_at.toISOString() }
}

/**
 * Cancels the scheduled deletion of an account. Idempotent. Throws 401 once the deletion has begun.
 * @returns the account, and whether a deletion was scheduled or a link that schedules one was live
 */
export const withdrawDeletion = async (
  { models }: AuthContext,
  userId: string,
): Promise<{ user: UserDoc; isKept: boolean }> => {
  const { deletedCount } = await models.accountLinks.deleteMany({ user_id: userId, purpose: 'deletion' })
  const before = await models.users
    .findOneAndUpdate({ _id: userId, deleted_at: null }, { $unset: { delete_at: 1, delete_comments: 1 } })
    .lean<UserDoc>()
  if (!before) throw unauthenticated()
  const { delete_at, delete_comments: _wish, ...user } = before
  return { user, isKept: deletedCount > 0 || Boolean(delete_at) }
}
