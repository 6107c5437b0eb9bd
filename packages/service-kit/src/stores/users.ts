import { authInternal, type UserCard } from '@iodine/contracts'
import DataLoader from 'dataloader'
import { LRUCache } from 'lru-cache'
import type { Peers } from '../http/peers.js'
import type { Redis } from './redis.js'
import { createVersion } from './version.js'

export interface UserDirectory {
  /** Usernames by user id, in one call; users without a name, and unknown ones, are absent. */
  usernames(ids: Iterable<string>): Promise<Map<string, string>>
  /** User cards by id; unknown and deleted users are absent, as are uncached ones while auth is down. */
  cards(ids: Iterable<string>): Promise<Map<string, UserCard>>
  /** Cards of the users with these names, in any case. Throws 503 while auth is down. */
  named(usernames: string[]): Promise<UserCard[]>
}

/**
 * Returns the Redis key of a version that the auth service raises with each name change, to invalidate cached names.
 */
export const usersVersionKey = (prefix: string) => `${prefix}:users:version`

const CACHE_SIZE = 20_000
const CACHE_MS = 30_000
const BATCH = 5_000

/**
 * Creates the directory that joins usernames, which only the auth service stores, at read. The cache is valid while the
 * version in Redis is unchanged; while Redis is down every read queries the auth service. If that is down too, names
 * are omitted: reading IODs and campaigns must not need auth (`docs/reliability.md`), and screens show a missing name
 * as 'Unknown'.
 */
export const createUserDirectory = (peers: Peers, redis: Redis, prefix: string): UserDirectory => {
  const names = createVersion(redis, usersVersionKey(prefix))
  let version: string | undefined
  // Failures are not cached.
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
    // A call under way may return an old name: it was cached under the old version, so clear all.
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
    named: async usernames =>
      usernames.length === 0 ? [] : peers.call('auth', authInternal.findUsers, { body: { usernames } }),
  }
}
