import type { BetaCode } from '@iodine/contracts'
import type { BetaCodeDoc } from '../models/beta-code.js'
import { presentEmail } from './email.js'

/** A beta code as administrators see it. */
export const presentBetaCode = (doc: BetaCodeDoc): BetaCode => ({
  id: doc._id.toHexString(),
  code: doc.code,
  email: doc.email === null ? null : presentEmail(doc.email),
  used: doc.used,
  created_at: doc.created_at.toISOString(),
  used_at: doc.used_at?.toISOString() ?? null,
})
