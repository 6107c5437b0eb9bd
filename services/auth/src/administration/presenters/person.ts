import type { Person } from '@iodine/contracts'
import type { AuthConfig } from '../config.js'
import type { UserDoc } from '../models/user.js'
import { isAdminEmail } from '../policies/admin.js'
import { presentEmail } from './email.js'

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
