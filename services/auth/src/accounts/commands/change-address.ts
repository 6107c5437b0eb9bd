import { DETAILS, LIMITS, type MailJob, paths, type UsedAccountLink } from '@iodine/contracts'
import {
  badRequest,
  conflict,
  type FastifyRequest,
  hashOf,
  invalid,
  isDuplicateKey,
} from '@iodine/service-kit'
import { Types } from 'mongoose'
import { newToken } from '../../codes.js'
import type { AuthContext } from '../../context.js'
import { sendMail } from '../../mails/commands/send-mail.js'
import { isAdminEmail } from '../../sessions/policies/admin.js'
import type { AccountLinkDoc } from '../models/account-link.js'
import type { AddressChangeDoc } from '../models/address-change.js'
import type { UserDoc } from '../models/user.js'
import { presentEmail } from '../presenters/email.js'

const FIELDS = { 'old-address': 'old_confirmed_at', 'new-address': 'new_confirmed_at' } as const
const PURPOSES = Object.keys(FIELDS) as (keyof typeof FIELDS)[]

/** Returns the user's pending change of address; null if there is none. */
export const findAddressChange = ({ models }: AuthContext, userId: string) =>
  models.addressChanges.findOne({ _id: userId, expires_at: { $gt: new Date() } }).lean<AddressChangeDoc>()

/** Deletes a user's change of address with its links. Idempotent. Returns whether there was one. */
export const dropAddressChange = async (
  { models }: AuthContext,
  userId: Types.ObjectId,
): Promise<boolean> => {
  await models.accountLinks.deleteMany({ user_id: userId, purpose: { $in: PURPOSES } })
  return (await models.addressChanges.deleteOne({ _id: userId })).deletedCount > 0
}

/**
 * Mails a link to both addresses and replaces an earlier request. The response is the same for every new address: only
 * the mail to it reveals that another account or an administrator has it. Throws 422 for the account's present
 * address, and 409 for an administrator, whose rights depend on the address.
 */
export const requestAddressChange = async (
  context: AuthContext,
  { _id, email: old_email }: UserDoc,
  new_email: string,
): Promise<AddressChangeDoc> => {
  const { config, limits, models } = context
  if (new_email === old_email) throw invalid([`email: ${DETAILS.ownAddress}`])
  if (isAdminEmail(config, old_email)) throw conflict(DETAILS.adminAddress)
  await limits.addressChanges.use(_id.toHexString())
  for (const email of [old_email, new_email]) {
    await limits.email.use(hashOf(email))
    await limits.mails.use(hashOf(email))
  }
  const created_at = new Date()
  const change: AddressChangeDoc = {
    _id,
    change_id: new Types.ObjectId(),
    old_email,
    new_email,
    old_confirmed_at: null,
    new_confirmed_at: null,
    created_at,
    expires_at: new Date(created_at.getTime() + LIMITS.addressChangeMs),
  }
  await dropAddressChange(context, _id)
  const { _id: _, ...fields } = change
  await models.addressChanges.updateOne({ _id }, { $set: fields }, { upsert: true })
  const isFree = !isAdminEmail(config, new_email) && !(await models.users.exists({ email: new_email }))
  await mailLink(context, change, 'old-address')
  await mailLink(context, change, isFree ? 'new-address' : 'not-free')
  return change
}

/**
 * Mails one of both addresses. For a new address that is not free a link is stored as well, but not mailed: otherwise
 * the response time would reveal it.
 */
const mailLink = async (
  context: AuthContext,
  { _id, change_id, old_email, new_email, expires_at }: AddressChangeDoc,
  what: (typeof PURPOSES)[number] | 'not-free',
): Promise<void> => {
  const token = newToken()
  const hash = hashOf(token)
  const purpose = what === 'not-free' ? 'new-address' : what
  await context.models.accountLinks.create({ _id: hash, user_id: _id, purpose, change_id, expires_at })
  const { PUBLIC_URL } = context.config
  const link = `${PUBLIC_URL}/account-link?token=${token}`
  const mails: Record<typeof what, MailJob> = {
    'old-address': { template: 'confirm-old-address', to: old_email, link, new_email },
    'new-address': { template: 'confirm-new-address', to: new_email, link, old_email },
    'not-free': { template: 'address-not-free', to: new_email, link: `${PUBLIC_URL}/login` },
  }
  await sendMail(context, hash, mails[what], expires_at)
}

/**
 * Confirms a change from one of both addresses. The second confirmation changes the address, which is recorded.
 * Idempotent until then. Throws 400 for a replaced or deleted change, 409 if another account has taken the address.
 */
export const confirmAddress = async (
  context: AuthContext,
  { user_id, change_id, purpose }: AccountLinkDoc,
  request: FastifyRequest,
): Promise<UsedAccountLink> => {
  if (purpose === 'deletion' || !change_id) throw badRequest(DETAILS.badToken)
  const now = new Date()
  const change = await context.models.addressChanges
    .findOneAndUpdate(
      { _id: user_id, change_id, expires_at: { $gt: now } },
      { $set: { [FIELDS[purpose]]: now } },
      { returnDocument: 'after' },
    )
    .lean<AddressChangeDoc>()
  if (!change) throw badRequest(DETAILS.badToken)
  if (!change.old_confirmed_at || !change.new_confirmed_at)
    return { outcome: 'confirmed', email: presentEmail(change.old_email), delete_at: null }
  const id = user_id.toHexString()
  await context.service.audit.during(
    { request, user: { id } },
    { action: 'account.address-changed', subject: { kind: 'account', id } },
    async note => note({ isNothing: !(await applyChange(context, change)) }),
  )
  return { outcome: 'changed', email: presentEmail(change.new_email), delete_at: null }
}

/**
 * Changes the account's address. Returns whether this call changed it. The remaining steps are repeatable: the links
 * stay valid until the last one, so that a second use completes what a crash interrupted.
 */
const applyChange = async (context: AuthContext, change: AddressChangeDoc): Promise<boolean> => {
  const { config, models } = context
  const { _id, change_id, old_email, new_email } = change
  const refuse = async (detail: string) => {
    await dropAddressChange(context, _id)
    throw conflict(detail)
  }
  // The settings may have changed since the request.
  if (isAdminEmail(config, old_email)) return refuse(DETAILS.adminAddress)
  if (isAdminEmail(config, new_email)) return refuse(DETAILS.addressTaken)
  let isChanged: boolean
  try {
    const { matchedCount } = await models.users.updateOne(
      { _id, email: old_email, deleted_at: null, suspended_at: null },
      { $set: { email: new_email } },
    )
    isChanged = matchedCount === 1
  } catch (error) {
    if (isDuplicateKey(error)) return refuse(DETAILS.addressTaken)
    throw error
  }
  if (!isChanged && !(await models.users.exists({ _id, email: new_email, deleted_at: null })))
    throw badRequest(DETAILS.badToken)
  // Before the other steps: a call that completes them later does not change the address and sends no mail.
  const link = config.PUBLIC_URL + paths.profile()
  const mail: MailJob = { template: 'address-changed', to: old_email, link, new_email }
  if (isChanged) await sendMail(context, `address-changed-${change_id}`, mail, change.expires_at)
  await models.links.deleteOne({ _id: old_email })
  // Exports and the deletion look for invitations and codes by the present address.
  await models.betaCodes.deleteMany({ email: old_email, used: false })
  await models.betaCodes.updateMany({ email: old_email }, { $set: { email: new_email } })
  await models.betaCodes.updateMany({ used_by: old_email }, { $set: { used_by: new_email } })
  await dropAddressChange(context, _id)
  return isChanged
}
