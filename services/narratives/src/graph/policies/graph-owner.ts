import { authInternal } from '@iodine/contracts'
import { notFound } from '@iodine/service-kit'
import type { Store } from '../../store.js'

/**
 * Resolves to the graph's owner: the caller, or a user with a public profile (a username).
 * @throws HttpError 404 for any other user
 */
export const graphOwner = async (
  { service }: Store,
  callerId: string,
  requestedId: string | undefined,
): Promise<string> => {
  const id = requestedId?.toLowerCase()
  if (id === undefined || id === callerId) return callerId
  const [card] = await service.peers.call('auth', authInternal.lookupUsers, { body: { ids: [id] } })
  if (card?.id !== id || card.username === null) throw notFound()
  return id
}

/**
 * Returns the sentences' owner: only the caller, even if another user's graph is public.
 * @throws HttpError 404 for any other user
 */
export const textsOwner = (callerId: string, requestedId: string | undefined): string => {
  if (requestedId !== undefined && requestedId.toLowerCase() !== callerId) throw notFound()
  return callerId
}
