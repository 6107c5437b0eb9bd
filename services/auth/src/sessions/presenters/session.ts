import type { Session } from '@iodine/contracts'
import { kindOf, type SessionDoc } from '../models/session.js'
import { sessionId } from '../queries/sessions.js'

/** Returns a session as its owner sees it. @param current the `sid` of the requesting session */
export const presentSession = (session: SessionDoc, current: string): Session => ({
  id: sessionId(session._id).toHexString(),
  kind: kindOf(session),
  browser: session.browser ?? null,
  system: session.system ?? null,
  created_at: session.created_at.toISOString(),
  last_seen_at: (session.last_seen_at ?? session.created_at).toISOString(),
  current: session._id === current,
})
