import { authInternal, DETAILS } from '@iodine/contracts'
import { badRequest, ifFound } from './errors.js'
import type { Peers } from './peers.js'

/** Timeout of the key request, long enough for a busy machine. */
const KEY_MS = 10_000

/** Returns a user's sealed AI key. @throws HttpError 400 without a key, 503 */
export const requireAiKey = async (peers: Peers, userId: string): Promise<string> => {
  const found = await ifFound(
    peers.call('auth', authInternal.getSealedAiKey, { params: { id: userId }, ms: KEY_MS }),
  )
  if (!found || found.sealed === null) throw badRequest(DETAILS.missingAiKey)
  return found.sealed
}
