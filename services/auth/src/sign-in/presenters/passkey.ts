import type { Passkey } from '@iodine/contracts'
import type { PasskeyDoc } from '../models/passkey.js'

export const presentPasskey = ({ _id, name, created_at, last_used_at }: PasskeyDoc): Passkey => ({
  id: _id.toHexString(),
  name,
  created_at: created_at.toISOString(),
  last_used_at: last_used_at?.toISOString() ?? null,
})
