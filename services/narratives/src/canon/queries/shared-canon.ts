import { authInternal, type CanonicalNarrative, LIMITS } from '@iodine/contracts'
import { createSharedReads } from '@iodine/service-kit'
import { Types } from 'mongoose'
import type { Store } from '../../store.js'
import type { CanonSharedDoc } from '../models/canon.js'

const FRESH_MS = 60_000
/** Maximum number of returned narratives, by number of owners. */
const SHOWN_MAX = 500
/** Accounts per lookup. */
const LOOKUP = 5_000

/**
 * Creates the reader of narratives that at least `LIMITS.sharedOwnersMin` users with a public profile have, most owners
 * first. Results are cached for a minute.
 */
export const createSharedReader = (store: Store) => {
  const { canonShared, service } = store
  let known: { at: number; list: CanonicalNarrative[] } | undefined

  const publicOwners = async (ids: Set<string>): Promise<Set<string>> => {
    const all = [...ids]
    const owners = new Set<string>()
    for (let start = 0; start < all.length; start += LOOKUP) {
      const cards = await service.peers.call('auth', authInternal.lookupUsers, {
        body: { ids: all.slice(start, start + LOOKUP) },
      })
      for (const { id, username } of cards) if (username !== null) owners.add(id)
    }
    return owners
  }
  const read = async (): Promise<CanonicalNarrative[]> => {
    const candidates = await canonShared.aggregate<{ _id: string }>([
      { $group: { _id: '$narrative', owners: { $sum: 1 } } },
      { $match: { owners: { $gte: LIMITS.sharedOwnersMin } } },
      { $sort: { owners: -1, _id: 1 } },
      // Twice as many, because some owners have no public profile.
      { $limit: 2 * SHOWN_MAX },
    ])
    const docs = await canonShared.find({ narrative: { $in: candidates.map(({ _id }) => _id) } }).lean()
    const owners = await publicOwners(new Set(docs.map(({ user_id }) => user_id.toHexString())))
    const byNarrative = new Map<string, CanonSharedDoc[]>()
    for (const doc of docs) {
      if (!owners.has(doc.user_id.toHexString())) continue
      const list = byNarrative.get(doc.narrative)
      if (list) list.push(doc)
      else byNarrative.set(doc.narrative, [doc])
    }
    return [...byNarrative.values()]
      .filter(({ length }) => length >= LIMITS.sharedOwnersMin)
      .map(presentShared)
      .sort(
        (a, b) => (b.owners ?? 0) - (a.owners ?? 0) || b.sentences - a.sentences || (a.id < b.id ? -1 : 1),
      )
      .slice(0, SHOWN_MAX)
  }
  const reading = createSharedReads<'all', CanonicalNarrative[]>(FRESH_MS)
  return async (): Promise<CanonicalNarrative[]> => {
    if (known && Date.now() - known.at < FRESH_MS) return known.list
    return reading('all', async () => {
      if (known && Date.now() - known.at < FRESH_MS) return known.list
      const at = Date.now()
      known = { at, list: await read() }
      return known.list
    })
  }
}

/**
 * Combines a narrative of several users. Its labels are those of the owner with the most sentences, then the oldest
 * account.
 */
const presentShared = (docs: CanonSharedDoc[]): CanonicalNarrative => {
  const [most] = docs.toSorted(
    (a, b) =>
      b.sentences - a.sentences ||
      new Types.ObjectId(a.user_id).toHexString().localeCompare(b.user_id.toHexString()),
  )
  const { narrative, parts } = most as CanonSharedDoc
  const sum = (field: 'sentences' | 'sources' | 'triplets') =>
    docs.reduce((total, doc) => total + doc[field], 0)
  const times = docs.flatMap(({ since, last }) => [since.getTime(), last.getTime()])
  return {
    id: narrative,
    ...parts,
    sentences: sum('sentences'),
    // A source of several owners counts several times.
    sources: sum('sources'),
    triplets: sum('triplets'),
    clock: 'analyzed',
    dated: sum('sentences'),
    since: new Date(Math.min(...times)).toISOString(),
    last: new Date(Math.max(...times)).toISOString(),
    over_time: [],
    owners: docs.length,
  }
}
