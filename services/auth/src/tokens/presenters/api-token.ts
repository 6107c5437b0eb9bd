import type { ApiToken } from '@iodine/contracts'
import type { ApiTokenDoc } from '../models/api-token.js'

/** Returns an API token as its user sees it. It never contains the token itself. */
export const presentApiToken = (
  doc: Pick<ApiTokenDoc, '_id' | 'name' | 'scopes' | 'created_at' | 'expires_at' | 'last_used_at'>,
): ApiToken => ({
  id: doc._id.toHexString(),
  name: doc.name,
  scopes: [...doc.scopes],
  created_at: doc.created_at.toISOString(),
  expires_at: doc.expires_at.toISOString(),
  last_used_at: doc.last_used_at?.toISOString() ?? null,
})
