import type { Profile } from '@iodine/contracts'
import type { AuthConfig } from '../../config.js'
import { isAdminEmail } from '../../sessions/policies/admin.js'
import type { UserDoc } from '../models/user.js'
import { presentEmail } from './email.js'

/** Returns the user's own profile. It never contains the AI key. */
export const presentProfile = (config: AuthConfig, user: UserDoc): Profile => ({
  id: user._id.toHexString(),
  email: presentEmail(user.email),
  username: user.username,
  is_admin: isAdminEmail(config, user.email),
  created_at: user.created_at.toISOString(),
  has_openai_key: user.sealed_ai_key !== null,
})
