import { DETAILS } from '@iodine/contracts'
import { badRequest, type FastifyRequest, hashOf, inTransaction, isDuplicateKey } from '@iodine/service-kit'
import { Types } from 'mongoose'
import type { UserDoc } from '../../accounts/models/user.js'
import { presentEmail } from '../../accounts/presenters/email.js'
import type { AuthContext } from '../../context.js'
import { isAdminEmail } from '../../sessions/policies/admin.js'
import type { MagicLink, MagicLinksDoc } from '../models/magic-link.js'
import { consumeCode } from './beta-codes.js'
import { signIn } from './sign-in.js'

const liveLink = (token: string) => ({
  links: { $elemMatch: { token_hash: hashOf(token), expires_at: { $gt: new Date() } } },
})

/** Returns the address that a link signs in, without using the link. Throws 400 unless the link is live. */
export const readMagicLink = async ({ models }: AuthContext, token: string): Promise<{ email: string }> => {
  const found = await models.links.findOne(liveLink(token)).select('_id').lean<MagicLinksDoc>()
  if (!found) throw badRequest(DETAILS.badToken)
  return { email: presentEmail(found._id) }
}

/** Consumes a link and opens a session, for a new user if needed. Throws 400 unless the link is live. */
export const verifyMagicLink = async (
  context: AuthContext,
  token: string,
  request: FastifyRequest,
): Promise<{ access_token: string; has_username: boolean }> => {
  const { models } = context
  const token_hash = hashOf(token)
  // The removal is atomic: of concurrent requests one gets the document. It also invalidates the other links of the
  // address.
  const found = await models.links.findOneAndDelete(liveLink(token)).lean<MagicLinksDoc>()
  const link = found?.links.find(each => each.token_hash === token_hash)
  if (!found || !link) throw badRequest(DETAILS.badToken)
  const user = await accountOf(context, found._id, link.beta_code)
  const access_token = await signIn(context, { userId: user._id.toHexString(), by: 'link', request })
  if (access_token === null) throw badRequest(DETAILS.badToken)
  return { access_token, has_username: user.username !== null }
}

const accountOf = async (
  context: AuthContext,
  email: string,
  betaCode: MagicLink['beta_code'],
): Promise<UserDoc> => {
  const { config, models, service, changedUsers } = context
  const known = await models.users.findOne({ email }).lean<UserDoc>()
  if (known) return known
  if (config.BETA_REQUIRED && !isAdminEmail(config, email)) {
    if (!(await consumeCode(models, email, betaCode))) throw badRequest(DETAILS.badInviteCode)
  }
  const now = new Date()
  const user: UserDoc = {
    _id: new Types.ObjectId(),
    email,
    username: null,
    sealed_ai_key: null,
    created_at: now,
    last_active_at: now,
    revision: 0,
  }
  try {
    await inTransaction(service.mongo, async session => {
      await models.users.create([user], { session })
      await changedUsers.add({ id: user._id.toHexString() }, { session })
    })
  } catch (error) {
    // A concurrent request verified another link of the same address.
    const other = isDuplicateKey(error) && (await models.users.findOne({ email }).lean<UserDoc>())
    if (!other) throw error
    return other
  }
  return user
}
