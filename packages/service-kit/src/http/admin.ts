import { authInternal } from '@iodine/contracts'
import { forbidden, isNotFound } from './errors.js'
import type { Peers } from './peers.js'
import type { Caller } from './tokens.js'

/** Queries auth whether an account is an administrator's that may act. Throws 503 while auth is down. */
export const isAdmin = async (peers: Peers, id: string, sid?: string): Promise<boolean> => {
  try {
    return (await peers.call('auth', authInternal.checkAdmin, { params: { id }, body: { sid } })).is_admin
  } catch (error) {
    if (isNotFound(error)) return false
    throw error
  }
}

/** Like `requireAdmin`, and throws 403 unless a passkey opened the session. */
export const requirePasskeyAdmin = async (
  peers: Peers,
  { id, sid }: Pick<Caller, 'id' | 'sid'>,
): Promise<void> => {
  const body = { sid, passkey: true } as const
  const { is_admin } = await peers.call('auth', authInternal.checkAdmin, { params: { id }, body })
  if (!is_admin) throw forbidden()
}

/**
 * Checks the account on each call, as tokens carry no rights. Throws 403 unless it is an administrator's, in a session
 * that may administer.
 */
export const requireAdmin = async (peers: Peers, { id, sid }: Pick<Caller, 'id' | 'sid'>): Promise<void> => {
  if (!(await isAdmin(peers, id, sid))) throw forbidden()
}
