import { forbidden, unauthenticated } from '@iodine/service-kit'
import type { AuthConfig } from '../config.js'
import type { AuthContext } from '../context.js'

export const isAdminEmail = (config: Pick<AuthConfig, 'ADMIN_EMAILS'>, email: string): boolean =>
  config.ADMIN_EMAILS.includes(email)

/** Checks the account on each call, as tokens carry no rights. Throws 403 unless it is an administrator's. */
export const requireAdmin = async ({ config, models }: AuthContext, userId: string): Promise<void> => {
  const user = await models.users.findById(userId).select('email').lean()
  if (!user) throw unauthenticated()
  if (!isAdminEmail(config, user.email)) throw forbidden()
}
