import { forbidden, unauthenticated } from '@iodine/service-kit'
import type { AuthConfig } from '../config.js'
import type { AuthContext } from '../context.js'

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

/** Checks the account on each call, as tokens carry no rights. Throws 403 unless it is an administrator's. */
export const requireAdmin = async ({ config, models }: AuthContext, userId: string): Promise<void> => {
  const user = await models.users.findById(userId).select('email').lean()
  if (!user) throw unauthenticated()
  if (!isAdminEmail(config, user.email)) throw forbidden()
}
