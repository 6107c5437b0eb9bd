import { DETAILS } from '@iodine/contracts'
import { type Caller, forbidden, unauthenticated } from '@iodine/service-kit'
import type { AuthConfig } from '../../config.js'
import type { AuthContext } from '../../context.js'

export const isAdminEmail = (config: Pick<AuthConfig, 'ADMIN_EMAILS'>, email: string): boolean =>
  config.ADMIN_EMAILS.includes(email)

/** Returns whether the account is an administrator's, and neither suspended nor deleted. */
export const isAdmin = async ({ config, models }: AuthContext, userId: string): Promise<boolean> => {
  const user = await models.users
    .findOne({ _id: userId, deleted_at: null, suspended_at: null })
    .select('email')
    .lean()
  return user !== null && isAdminEmail(config, user.email)
}

/** Returns whether a passkey opened the session. */
export const openedByPasskey = async ({ models }: AuthContext, sid: string): Promise<boolean> =>
  (await models.sessions.exists({ _id: sid, by: 'passkey' })) !== null

/**
 * Checks the account on each call, as tokens contain no rights. Throws 403 unless it is an administrator's and, where
 * `ADMIN_PASSKEYS` requires it, a passkey opened the session.
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
 * Throws 403 for an administrator with passkeys whose session no passkey opened, where passkeys are required: otherwise
 * access to their mail would suffice to add one. The first passkey is added in a session opened by link.
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

/** Returns the function that adds a route for administrators: `requireAdmin` runs before the handler. */
export const adminRoutes =
  (context: AuthContext): AuthContext['service']['route'] =>
  (endpoint, handler) =>
    context.service.route(endpoint, async call => {
      await requireAdmin(context, call.user as Caller)
      return handler(call)
    })
