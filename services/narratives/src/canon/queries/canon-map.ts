import { clusterIdOf } from '@iodine/canon'
import type { CanonKind, CanonReason } from '@iodine/contracts'
import type { Types } from 'mongoose'
import { batchesOf } from '../../batches-of.js'
import type { NarrativeModels } from '../../models.js'
import { createStampedCache } from '../../stamped-cache.js'
import type { CanonMemberDoc } from '../models/canon.js'

/** A cluster of labels of one kind. */
export interface Group {
  /** The cluster's id. */
  id: string
  /** The smallest of its keys; the id is its hash. */
  smallest: string
  keys: readonly string[]
}

export interface Entry {
  group: Group
  why: CanonReason
  /** Whether the verb exchanges subject and object. */
  turned: boolean
}

/** A user's clusters of two or more labels, by kind and key. A key without an entry has no cluster. */
export type CanonMap = Record<CanonKind, ReadonlyMap<string, Entry>>

/** Returns the cluster of a label; for a label without an entry, a cluster of one. */
export const groupOf = (map: CanonMap, kind: CanonKind, key: string): Group =>
  map[kind].get(key)?.group ?? { id: clusterIdOf(kind, key), smallest: key, keys: [key] }

const BATCH = 5_000
/** Cache size of a process, in entries of all users. */
const CACHE_ENTRIES = 500_000

/** Version of a user's clusters and texts. */
export interface CanonStamp {
  version: number
  texts: number
}

/** Returns a user's current stamp. */
export const stampOf = async (
  { canon }: Pick<NarrativeModels, 'canon'>,
  user_id: Types.ObjectId,
): Promise<CanonStamp> => {
  const state = await canon.findById(user_id, { version: 1, texts: 1 }).lean()
  return { version: state?.version ?? 0, texts: state?.texts ?? 0 }
}

const load = async (
  { canonMembers }: Pick<NarrativeModels, 'canonMembers'>,
  user_id: Types.ObjectId,
): Promise<CanonMap> => {
  // The driver's cursor returns whole batches.
  const cursor = canonMembers.collection.find<CanonMemberDoc>({ user_id } as object, {
    projection: { _id: 0, kind: 1, key: 1, cluster: 1, why: 1, turned: 1 },
    batchSize: BATCH,
  })
  const groups = new Map<string, { id: string; smallest: string; keys: string[] }>()
  const map = { entity: new Map<string, Entry>(), verb: new Map<string, Entry>() }
  for await (const members of batchesOf(cursor))
    for (const { kind, key, cluster, why, turned } of members) {
      const named = `${kind}:${cluster}`
      let group = groups.get(named)
      if (!group) {
        group = { id: cluster, smallest: key, keys: [] }
        groups.set(named, group)
      }
      group.keys.push(key)
      if (key < group.smallest) group.smallest = key
      map[kind].set(key, { group, why, turned: turned === true })
    }
  return map
}

/** Creates the reader of users' clusters, cached by version. */
export const createMapReader = (models: Pick<NarrativeModels, 'canonMembers'>) => {
  const cache = createStampedCache<CanonMap>(CACHE_ENTRIES, map => map.entity.size + map.verb.size)
  return async (user_id: Types.ObjectId, { version }: CanonStamp): Promise<CanonMap> => {
    const name = user_id.toHexString()
    const stamp = String(version)
    return cache.get(name, stamp) ?? cache.put(name, stamp, await load(models, user_id))
  }
}
