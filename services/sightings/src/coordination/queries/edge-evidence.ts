import { type CoordinationEvidence, type CoordinationLeftOut, LIMITS } from '@iodine/contracts'
import { notFound, type Peers } from '@iodine/service-kit'
import { Types } from 'mongoose'
import type { Context } from '../../context.js'
import { openRecords } from '../../sightings/queries/open-records.js'
import type { RunDoc } from '../models/run.js'

type Opened = Map<string, { shared: boolean; excerpt: string }>

/** Returns the records that the user may see now; undefined while the collector is down. */
const open = async (peers: Peers, userId: string, ids: string[]): Promise<Opened | undefined> => {
  try {
    const answer = await openRecords(peers, userId, ids, { excerpt: LIMITS.excerptChars })
    return new Map(answer.map(({ id, shared, excerpt }) => [id, { shared: shared !== null, excerpt }]))
  } catch {
    return undefined
  }
}

/**
 * Returns the post pairs behind an edge of a run. Omits pairs with a deleted or unshared post, and pairs with other
 * users' posts while the collector is down.
 * @throws HttpError 404 for an unknown edge
 */
export const readEvidence = async (
  { models, peers }: Context,
  run: RunDoc,
  ends: { a: string; b: string },
): Promise<CoordinationEvidence> => {
  const [a, b] = [ends.a, ends.b].sort() as [string, string]
  const edge = await models.edges.findOne({ run: run._id, a, b }).lean()
  if (!edge) throw notFound()
  const ids = [
    ...new Set(edge.pairs.flatMap(({ older, newer }) => [older.toHexString(), newer.toHexString()])),
  ]
  const userId = run.owner.toHexString()
  const [opened, docs] = await Promise.all([
    open(peers, userId, ids),
    models.sightings
      .find(
        { _id: { $in: ids.map(id => new Types.ObjectId(id)) } },
        { owner: 1, source: 1, account: 1, url: 1, posted_at: 1 },
      )
      .lean(),
  ])
  const posts = new Map(
    docs.flatMap(doc => {
      const id = doc._id.toHexString()
      const isOwn = doc.owner?.equals(run.owner) ?? false
      const seen = opened?.get(id)
      if (!doc.posted_at || (!isOwn && !seen) || (opened && !seen)) return []
      const post = {
        id: isOwn ? id : null,
        source: doc.source,
        account: doc.account ?? '',
        url: doc.url,
        posted_at: doc.posted_at.toISOString(),
        excerpt: seen?.excerpt ?? null,
      }
      return [[id, post] as const]
    }),
  )
  return {
    total: edge.weight,
    pairs: edge.pairs.flatMap(({ kind, object, older, newer, delta_s }) => {
      const first = posts.get(older.toHexString())
      const second = posts.get(newer.toHexString())
      return first && second ? [{ kind, object, older: first, newer: second, delta_s }] : []
    }),
  }
}

/** Returns the user's own posts that a run left out and that still exist, in the order of the run. */
export const readLeftOut = async (
  { models, peers }: Context,
  { owner, left_out = [] }: RunDoc,
): Promise<CoordinationLeftOut> => {
  const ids = left_out.map(({ record }) => record)
  const [opened, docs] = await Promise.all([
    open(
      peers,
      owner.toHexString(),
      ids.map(id => id.toHexString()),
    ),
    models.sightings
      .find({ _id: { $in: ids }, owner }, { source: 1, account: 1, url: 1, fetched_at: 1 })
      .lean(),
  ])
  const byId = new Map(docs.map(doc => [doc._id.toHexString(), doc]))
  return {
    posts: left_out.flatMap(({ record, why }) => {
      const id = record.toHexString()
      const doc = byId.get(id)
      if (!doc) return []
      const { source, account, url, fetched_at } = doc
      const excerpt = opened?.get(id)?.excerpt ?? null
      return [{ id, source, account, url, collected_at: fetched_at.toISOString(), excerpt, why }]
    }),
  }
}
