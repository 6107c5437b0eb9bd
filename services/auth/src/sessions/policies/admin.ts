import { DETAILS } from '@iodine/contracts'
import { type Caller, forbidden, unauthenticated } from '@iodine/service-kit'
import type { AuthConfig } from '../../config.js'
import type { AuthContext } from '../../context.js'

export const isAdminEmail = (config: Pick<AuthConfig, 'ADMIN_EMAILS'>, email: string): boolean =>
  config.ADMIN_EMAILS.includes(email)

/** Whether an account is an administrator's that may act: not suspended, not deleted. */
export const isAdmin = async ({ config, models }: AuthContext, userId: string): Promise<boolean> => {
  const user = await models.users
    .findOne({ _id: userId, deleted_at: null, suspended_at: null })
    .select('email')
    .lean()
  return user !== null && isAdminEmail(config, user.email)
}

const openedByPasskey = async ({ models }: AuthContext, sid: string): Promise<boolean> =>
  (await models.sessions.exists({ _id: sid, by: 'passkey' })) !== null

/**
 * Checks the account on each call, as tokens carry no rights. Throws 403 unless it is an administrator's and, where
 * that is required, the session was opened by a passkey.
 */
export const requireAdmin = async (context: AuthContext, { id, sid }: Caller): Promise<void> => {
  const { config, models } = context
  const user = await models.users.findById(id).select('email').lean()
  if (!user) throw unauthenticated()
  if (!isAdminEmail(config, user.email)) throw forbidden()
  if (config.ADMIN_PASSKEYS === 'required' && !(await openedByPasskey(context, sid)))
    throw forbidden(DETAILS.passkeySession)
}

/**
 * Throws 403 for an administrator who changes passkeys in a session that none opened, where passkeys are required:
 * else whoever reads their mail could add one. The first passkey is added after a mailed link.
 */
export const requirePasskeySession = async (context: AuthContext, { id, sid }: Caller): Promise<void> => {
  const { config, models } = context
  if (config.ADMIN_PASSKEYS !== 'required') return
  const user = await models.users.findById(id).select('email').lean()
  if (!user || !isAdminEmail(config, user.email)) return
  const [has, opened] = await Promise.all([
    models.passkeys.exists({ user_id: user._id }),
    openedByPasskey(context, sid),
  ])
  if (has && !opened) throw forbidden(DETAILS.passkeySession)
}
