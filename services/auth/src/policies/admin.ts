import { forbidden, unauthenticated } from '@iodine/service-kit'
import type { AuthConfig } from '../config.js'
import type { AuthContext } from '../context.js'

export const isAdminEmail = (config: Pick<AuthConfig, 'ADMIN_EMAILS'>, email: string): boolean =>
  config.ADMIN_EMAILS.includes(email)

/** Checks the account itself on each call: a token says nothing of rights. Throws 403 for whoever is no admin. */
export const requireAdmin = async ({ config, models }: AuthContext, userId: string): Promise<void> => {
  const user = await models.users.findById(userId).select('email').lean()
  if (!user) throw unauthenticated()
  if (!isAdminEmail(config, user.email)) throw forbidden()
}
