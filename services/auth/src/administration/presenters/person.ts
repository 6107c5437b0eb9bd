import type { Person } from '@iodine/contracts'
import type { UserDoc } from '../../accounts/models/user.js'
import { presentEmail } from '../../accounts/presenters/email.js'
import type { AuthConfig } from '../../config.js'
import { isAdminEmail } from '../../sessions/policies/admin.js'

/** @param sessions number of live sessions */
export const presentPerson = (config: AuthConfig, user: UserDoc, sessions: number): Person => ({
  id: user._id.toHexString(),
  username: user.username,
  email: presentEmail(user.email),
  is_admin: isAdminEmail(config, user.email),
  created_at: user.created_at.toISOString(),
  last_active_at: user.last_active_at.toISOString(),
  suspended_at: user.suspended_at?.toISOString() ?? null,
  sessions,
})
