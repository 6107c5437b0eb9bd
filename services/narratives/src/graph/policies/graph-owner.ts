import { authInternal } from '@iodine/contracts'
import { notFound } from '@iodine/service-kit'
import type { Store } from '../../store.js'

/** Resolves the graph's owner: the caller, or a user with a public profile (a username). Throws 404. */
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

/** Resolves the sentences' owner: only the caller, even where a user's graph is public. Throws 404. */
export const textsOwner = (callerId: string, asked: string | undefined): string => {
  if (asked !== undefined && asked.toLowerCase() !== callerId) throw notFound()
  return callerId
}
