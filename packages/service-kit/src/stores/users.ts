import { authInternal, type UserCard } from '@iodine/contracts'
import DataLoader from 'dataloader'
import { LRUCache } from 'lru-cache'
import type { Peers } from '../http/peers.js'
import type { Redis } from './redis.js'
import { createVersion } from './version.js'

export interface UserDirectory {
  /** Usernames by user id, in one call; users without a name, and unknown ones, are absent. */
  usernames(ids: Iterable<string>): Promise<Map<string, string>>
  /** The users' cards by id; unknown and deleted ones are absent, and those not known here while auth is down. */
  cards(ids: Iterable<string>): Promise<Map<string, UserCard>>
}

/** Redis key that the auth service raises with each change of a name, so that no cached name outlives a rename. */
export const usersVersionKey = (prefix: string) => `${prefix}:users:version`

const CACHE_SIZE = 20_000
const CACHE_MS = 30_000
const BATCH = 5_000

/**
 * Names live in the auth service alone and are joined at read. Kept here while the version in Redis stands still; with
 * Redis down every read asks the auth service. With that down too the answer comes without the names: to read IODs and
 * campaigns must not need auth (`docs/reliability.md`), and screens show a name that is not there as 'Unknown'.
 */
export const createUserDirectory = (peers: Peers, redis: Redis, prefix: string): UserDirectory => {
  const names = createVersion(redis, usersVersionKey(prefix))
  let version: string | undefined
  // What fails is not kept.
  const known = new DataLoader<string, UserCard | null>(
    async ids => {
      const found = await peers.call('auth', authInternal.lookupUsers, { body: { ids: [...ids] } })
      const cards = new Map(found.map(card => [card.id, card]))
      return ids.map(id => cards.get(id) ?? null)
    },
    { maxBatchSize: BATCH, cacheMap: new LRUCache({ max: CACHE_SIZE, ttl: CACHE_MS }) },
  )
  const cards: UserDirectory['cards'] = async ids => {
    const current = await names.read()
    // A call that is under way may answer with a name of before: it was kept under the version it was asked for.
    if (current === undefined || current !== version) known.clearAll()
    version = current
    const found = new Map<string, UserCard>()
    for (const card of await known.loadMany([...new Set(ids)]))
      if (card && !(card instanceof Error)) found.set(card.id, card)
    return found
  }
  return {
    cards,
    async usernames(ids) {
      const names = new Map<string, string>()
      for (const [id, card] of await cards(ids)) if (card.username !== null) names.set(id, card.username)
      return names
    },
  }
}
