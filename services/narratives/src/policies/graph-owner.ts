import { authInternal } from '@iodine/contracts'
import { notFound } from '@iodine/service-kit'
import type { Store } from '../store.js'

/** Whose graph is shown: the caller's, or another's whose profile is public, that is: has a username. Throws 404. */
export const graphOwner = async (
  { service }: Store,
  callerId: string,
  asked: string | undefined,
): Promise<string> => {
  const id = asked?.toLowerCase()
  if (id === undefined || id === callerId) return callerId
  const [card] = await service.peers.call('auth', authInternal.lookupUsers, { body: { ids: [id] } })
  if (card?.id !== id || card.username === null) throw notFound()
  return id
}

/** Whose sentences are shown: the caller's alone, also where another's graph is public. Throws 404. */
export const textsOwner = (callerId: string, asked: string | undefined): string => {
  if (asked !== undefined && asked.toLowerCase() !== callerId) throw notFound()
  return callerId
}
