import type { BetaCode } from '@iodine/contracts'
import { presentEmail } from '../../accounts/presenters/email.js'
import type { BetaCodeDoc } from '../../sign-in/models/beta-code.js'

/** Returns a beta code as administrators see it. */
export const presentBetaCode = (doc: BetaCodeDoc): BetaCode => ({
  id: doc._id.toHexString(),
  code: doc.code,
  email: doc.email === null ? null : presentEmail(doc.email),
  used: doc.used,
  created_at: doc.created_at.toISOString(),
  used_at: doc.used_at?.toISOString() ?? null,
})
