import { authInternal } from '@iodine/contracts'
import { forbidden, isNotFound, type Peers } from '@iodine/service-kit'

/** Whether an account is an administrator's that may act, which auth alone knows. Throws 503 while auth is down. */
export const isAdmin = async (peers: Peers, userId: string): Promise<boolean> => {
  try {
    return (await peers.call('auth', authInternal.checkAdmin, { params: { id: userId } })).is_admin
  } catch (error) {
    if (isNotFound(error)) return false
    throw error
  }
}

/** Checks the account on each call, as tokens carry no rights. Throws 403 unless it is an administrator's. */
export const requireAdmin = async (peers: Peers, userId: string): Promise<void> => {
  if (!(await isAdmin(peers, userId))) throw forbidden()
}
