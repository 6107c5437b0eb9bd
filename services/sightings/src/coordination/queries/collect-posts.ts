import { foldValue, LIMITS, type ShareKind } from '@iodine/contracts'
import type { QueryFilter, Types } from 'mongoose'
import type { SightingModels } from '../../models.js'
import type { SightingDoc } from '../../sightings/models/sighting.js'
import { hashKey } from '../../sightings/policies/media-keys.js'
import type { RunDoc } from '../models/run.js'
import type { Post } from '../thread/find.js'

const BATCH = 500
const HASH_MARK = hashKey('')

/** Returns an account's key: its source and its case-folded name. */
export const accountKey = ({ source, account }: { source: string; account: string }): string =>
  `${source} ${foldValue(account)}`

/** Counts of the posts read so far. */
export interface CollectionStats {
  posts: number
  without_time: number
  without_account: number
  /** Of the user's own posts, at most `LIMITS.coordinationOmitted`. */
  left_out: NonNullable<RunDoc['left_out']>
  truncated: boolean
}

const FIELDS = {
  owner: 1,
  post_key: 1,
  self: 1,
  source: 1,
  account: 1,
  posted_at: 1,
  links: 1,
  media: 1,
  phashes: 1,
  hashtags: 1,
  exact: 1,
  bands: 1,
  sketch: 1,
} as const

const postOf = (doc: SightingDoc, account: string, at: Date, needsText: boolean): Post => ({
  id: doc._id.toHexString(),
  owner: doc.owner?.toHexString() ?? '',
  key: doc.post_key,
  account: accountKey({ source: doc.source, account }),
  at: at.getTime() / 1_000,
  links: doc.links,
  // Perceptual hashes match recompressed copies of a picture. Videos have only the SHA-256.
  media: doc.phashes.length > 0 ? doc.phashes : doc.media.filter(key => key.startsWith(HASH_MARK)),
  hashtags: doc.hashtags,
  signature:
    needsText && doc.exact !== null
      ? { exact: doc.exact, bands: doc.bands, keys: [], sketch: doc.sketch }
      : null,
})

const sharesOf = (post: Post, kinds: ReadonlySet<ShareKind>): number =>
  (kinds.has('link') ? post.links.length : 0) +
  (kinds.has('media') ? post.media.length : 0) +
  (kinds.has('hashtag') ? post.hashtags.length : 0) +
  (post.signature ? 1 : 0)

/**
 * Yields the posts of a run, without duplicates, the user's own before shared ones. Stops at
 * `LIMITS.coordinationShares` shares. Counts read and left-out posts in `collected`.
 * @param only restricts them to these records
 */
export async function* collectPosts(
  { sightings }: SightingModels,
  { owner, kinds, since, until, scope }: RunDoc,
  collected: CollectionStats,
  only?: readonly Types.ObjectId[],
): AsyncGenerator<Post[]> {
  const wanted = new Set(kinds)
  const needsText = wanted.has('text') || wanted.has('near')
  const during = since || until ? { $gte: since ?? new Date(0), ...(until && { $lte: until }) } : undefined
  const filters: QueryFilter<SightingDoc>[] = [
    { owner },
    ...(scope === 'shared' ? [{ shared: { $exists: true }, owner: { $ne: owner } }] : []),
  ]
  const leaveOut = (doc: SightingDoc, why: 'time' | 'account') => {
    collected[`without_${why}`]++
    if (doc.owner?.equals(owner) && collected.left_out.length < LIMITS.coordinationOmitted)
      collected.left_out.push({ record: doc._id, why })
  }
  const seen = new Set<string>()
  let shares = 0
  for (const filter of filters) {
    const cursor = sightings
      .find(only ? { ...filter, _id: { $in: [...only] } } : filter, FIELDS)
      .lean()
      .cursor({ batchSize: BATCH }) as AsyncIterable<SightingDoc>
    let batch: Post[] = []
    for await (const doc of cursor) {
      // A post may have several URLs, and so records with different keys.
      const post_key = doc.self ? `${doc.source} ${doc.self}` : doc.post_key
      if (seen.has(post_key)) continue
      seen.add(post_key)
      if (doc.posted_at === null) {
        leaveOut(doc, 'time')
        continue
      }
      if (during && (doc.posted_at < during.$gte || (until && doc.posted_at > until))) continue
      if (doc.account === null) {
        leaveOut(doc, 'account')
        continue
      }
      const post = postOf(doc, doc.account, doc.posted_at, needsText)
      shares += sharesOf(post, wanted)
      if (shares > LIMITS.coordinationShares) {
        collected.truncated = true
        break
      }
      collected.posts++
      batch.push(post)
      if (batch.length === BATCH) {
        yield batch
        batch = []
      }
    }
    if (batch.length > 0) yield batch
    if (collected.truncated) return
  }
}
