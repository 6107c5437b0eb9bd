import { type AccountLink, DETAILS, type UsedAccountLink } from '@iodine/contracts'
import { badRequest, type FastifyRequest, hashOf } from '@iodine/service-kit'
import type { AuthContext } from '../../context.js'
import type { AccountLinkDoc } from '../models/account-link.js'
import type { AddressChangeDoc } from '../models/address-change.js'
import type { UserDoc } from '../models/user.js'
import { presentEmail } from '../presenters/email.js'
import { confirmAddress } from './change-address.js'
import { scheduleDeletion } from './schedule-deletion.js'

const liveLink = (token: string) => ({ _id: hashOf(token), expires_at: { $gt: new Date() } })

/** Returns the purpose of a link and its account, without using the link. Throws 400 unless the link is live. */
export const readAccountLink = async ({ models }: AuthContext, token: string): Promise<AccountLink> => {
  const link = await models.accountLinks.findOne(liveLink(token)).lean<AccountLinkDoc>()
  if (!link) throw badRequest(DETAILS.badToken)
  const { purpose, user_id, change_id } = link
  const user = await models.users.findOne({ _id: user_id, deleted_at: null }).select('email').lean<UserDoc>()
  if (!user) throw badRequest(DETAILS.badToken)
  if (purpose === 'deletion') return { purpose, email: presentEmail(user.email), new_email: null }
  const change = await models.addressChanges
    .findOne({ _id: user_id, change_id: change_id ?? null })
    .lean<AddressChangeDoc>()
  if (!change) throw badRequest(DETAILS.badToken)
  return { purpose, email: presentEmail(change.old_email), new_email: presentEmail(change.new_email) }
}

/** Executes the action of a link. Throws 400 unless the link is live, 409 if another account has the address. */
export const useAccountLink = async (
  context: AuthContext,
  token: string,
  request: FastifyRequest,
): Promise<UsedAccountLink> => {
  const { accountLinks } = context.models
  const link = await accountLinks.findOne(liveLink(token)).lean<AccountLinkDoc>()
  if (!link) throw badRequest(DETAILS.badToken)
  if (link.purpose !== 'deletion') return confirmAddress(context, link, request)
  // The removal is atomic: of concurrent requests one gets the link. A second use after a withdrawal would schedule the
  // deletion again.
  const { deletedCount } = await accountLinks.deleteOne({ _id: link._id })
  if (deletedCount === 0) throw badRequest(DETAILS.badToken)
  return scheduleDeletion(context, link, request)
}
