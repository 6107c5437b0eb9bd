import type { BetaCode } from '@iodine/contracts'
import type { BetaCodeDoc } from '../models/beta-code.js'

/** A beta code as administrators see it. `names` maps the ids of the codes' creators to usernames. */
export const presentBetaCode = (doc: BetaCodeDoc, names: ReadonlyMap<string, string | null>): BetaCode => ({
  id: doc._id.toHexString(),
  code: doc.code,
  email: doc.email,
  used: doc.used,
  created_at: doc.created_at.toISOString(),
  used_at: doc.used_at?.toISOString() ?? null,
  created_by_username: (doc.created_by && names.get(doc.created_by.toHexString())) ?? null,
})
