import { authInternal, type UserCard } from '@iodine/contracts'
import type { Peers } from '../http/peers.js'
import type { Redis } from './redis.js'
import { createVersion } from './version.js'

export interface UserDirectory {
  /** Usernames by user id, in one call; users without a name, and unknown ones, are absent. */
  usernames(ids: Iterable<string>): Promise<Map<string, string>>
  /** The users' cards by id; unknown and deleted ones are absent. */
  cards(ids: Iterable<string>): Promise<Map<string, UserCard>>
}

/** Redis key that the auth service raises with each change of a name, so that no cached name outlives a rename. */
export const usersVersionKey = (prefix: string) => `${prefix}:users:version`

const CACHE_SIZE = 20_000
const CACHE_MS = 30_000

/**
 * Names live in the auth service alone and are joined at read. Kept here while the version in Redis stands still; with
 * Redis down every read asks the auth service; with that down too, names are left out rather than the answer.
 */
export const createUserDirectory = (peers: Peers, redis: Redis, prefix: string): UserDirectory => {
  const names = createVersion(redis, usersVersionKey(prefix))
  let version: string | undefined
  const known = new Map<string, { card: UserCard | null; at: number }>()
  const cards: UserDirectory['cards'] = async ids => {
    const current = await names.read()
    if (current === undefined || current !== version) {
      known.clear()
      version = current
    }
    const found = new Map<string, UserCard>()
    const missing: string[] = []
    const now = Date.now()
    for (const id of new Set(ids)) {
      const entry = known.get(id)
      if (!entry || now - entry.at > CACHE_MS) missing.push(id)
      else if (entry.card) found.set(id, entry.card)
    }
    for (let start = 0; start < missing.length; start += 5_000) {
      const asked = missing.slice(start, start + 5_000)
      const answer = await peers
        .call('auth', authInternal.lookupUsers, { body: { ids: asked } })
        .catch(() => undefined)
      if (!answer) continue
      for (const card of answer) found.set(card.id, card)
      // A rename during the call would make this answer stale: keep it only under the version it was asked for.
      if (current === undefined || version !== current) continue
      if (known.size + asked.length > CACHE_SIZE) known.clear()
      for (const id of asked) known.set(id, { card: found.get(id) ?? null, at: now })
    }
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
