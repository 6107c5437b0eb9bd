import { type authApi, type BodyOf, DETAILS, LIMITS, type MailJob } from '@iodine/contracts'
import { badRequest, hashOf } from '@iodine/service-kit'
import type { Types } from 'mongoose'
import type { UserDoc } from '../../accounts/models/user.js'
import { newToken } from '../../codes.js'
import type { AuthContext } from '../../context.js'
import { sendMail } from '../../mails/commands/send-mail.js'
import type { AuthModels } from '../../models.js'
import { isAdminEmail } from '../../sessions/policies/admin.js'
import { codeFor } from './beta-codes.js'

// Above the number that the rate limit admits during a link's lifetime, so that new links never displace a live one.
const OPEN_LINKS_MAX = 100

/** Stores a sign-in link for the address. */
export const addLink = async (
  models: AuthModels,
  email: string,
  beta_code: Types.ObjectId | null,
): Promise<{ token: string; token_hash: string; expires_at: Date }> => {
  const token = newToken()
  const expires_at = new Date(Date.now() + LIMITS.magicLinkMs)
  const link = { token_hash: hashOf(token), beta_code, expires_at }
  await models.links.updateOne(
    { _id: email },
    { $push: { links: { $each: [link], $slice: -OPEN_LINKS_MAX } }, $set: { expires_at } },
    { upsert: true },
  )
  return { token, token_hash: link.token_hash, expires_at }
}

/**
 * Sends a mail with a sign-in link, unless a beta code is required first. Where none is required, known, unknown and
 * suspended addresses get the same response; only the mail reveals a suspension. Throws 400 for a code that is unknown,
 * used or bound to another address.
 */
export const requestMagicLink = async (
  context: AuthContext,
  { email, invite_code }: BodyOf<typeof authApi.requestMagicLink>,
): Promise<{ requires_beta_code: boolean }> => {
  const { config, models } = context
  const user = await models.users.findOne({ email }).select('suspended_at').lean<UserDoc>()
  let betaCode: Types.ObjectId | null = null
  // Administrators create the codes, so they need none.
  if (config.BETA_REQUIRED && !isAdminEmail(config, email) && !user) {
    if (!invite_code) return { requires_beta_code: true }
    betaCode = await codeFor(models, email, invite_code)
    if (!betaCode) throw badRequest(DETAILS.badInviteCode)
  }
  const { token, token_hash, expires_at } = await addLink(models, email, betaCode)
  const mail: MailJob = user?.suspended_at
    ? { template: 'account-suspended', to: email, link: `${config.PUBLIC_URL}/terms-of-service` }
    : { template: 'magic-link', to: email, link: `${config.PUBLIC_URL}/magic-login?token=${token}` }
  await sendMail(context, token_hash, mail, expires_at)
  return { requires_beta_code: false }
}
