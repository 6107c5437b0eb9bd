import { type authApi, type BodyOf, DETAILS, LIMITS, type MailJob } from '@iodine/contracts'
import { badRequest, seal } from '@iodine/service-kit'
import { Types } from 'mongoose'
import type { AuthContext } from '../context.js'
import { isAdminEmail } from '../policies/admin.js'
import { hashOf, newToken, normalCode } from './codes.js'

/**
 * Queues a mail with a sign-in link, unless a beta code is needed first. Known and unknown addresses get the same
 * answer where no beta code is demanded. Throws 400 for a code that is unknown, used or bound to another address.
 */
export const requestMagicLink = async (
  { config, models, service }: AuthContext,
  { email, invite_code }: BodyOf<typeof authApi.requestMagicLink>,
): Promise<{ requires_beta_code: boolean }> => {
  let betaCode: Types.ObjectId | null = null
  // Admins hand the codes out, so they need none.
  if (config.BETA_REQUIRED && !isAdminEmail(config, email) && !(await models.users.exists({ email }))) {
    if (!invite_code) return { requires_beta_code: true }
    const code = await models.betaCodes.findOne({ code: normalCode(invite_code), used: false }).lean()
    if (!code || (code.email !== null && code.email !== email)) throw badRequest(DETAILS.badInviteCode)
    betaCode = code._id
  }
  const token = newToken()
  const link = {
    _id: new Types.ObjectId(),
    token_hash: hashOf(token),
    email,
    beta_code: betaCode,
    expires_at: new Date(Date.now() + LIMITS.magicLinkMs),
  }
  await models.links.create(link)
  const mail: MailJob = {
    template: 'magic-link',
    to: email,
    link: `${config.PUBLIC_URL}/magic-login?token=${token}`,
  }
  await service.queues.add(
    'mail',
    { sealed: seal(config.SECRETS_KEY, 'mail', JSON.stringify(mail)) },
    {
      jobId: link._id.toHexString(),
      attempts: 12,
      backoff: { type: 'exponential', delay: 1_000 },
      removeOnComplete: true,
      removeOnFail: true,
    },
  )
  return { requires_beta_code: false }
}
