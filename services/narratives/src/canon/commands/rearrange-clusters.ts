import { formOf } from '@iodine/canon'
import type { CanonKind } from '@iodine/contracts'
import type { ClientSession, Types } from 'mongoose'
import type { Store } from '../../store.js'
import { memberId } from '../models/canon.js'
import { memberDocs } from './apply-canon.js'

/** Returns the complete clusters that contain the keys. A key without a cluster forms its own. */
export const groupsWith = async (
  { canonMembers }: Store,
  user_id: Types.ObjectId,
  kind: CanonKind,
  keys: readonly string[],
  session: ClientSession,
): Promise<string[][]> => {
  const ids = [...new Set(keys)].map(key => memberId(user_id, kind, key))
  const clusters = await canonMembers.distinct('cluster', { _id: { $in: ids } }).session(session)
  const members = await canonMembers
    .find({ user_id, kind, cluster: { $in: clusters } }, { key: 1, cluster: 1 }, { session })
    .lean()
  const groups = new Map<string, string[]>()
  for (const { key, cluster } of members) {
    const group = groups.get(cluster)
    if (group) group.push(key)
    else groups.set(cluster, [key])
  }
  const found = new Set(members.map(({ key }) => key))
  return [...groups.values(), ...[...new Set(keys)].filter(key => !found.has(key)).map(key => [key])]
}

/** Replaces the clusters of the groups' keys by the groups. */
export const storeGroups = async (
  { canonMembers }: Store,
  user_id: Types.ObjectId,
  kind: CanonKind,
  groups: readonly string[][],
  session: ClientSession,
): Promise<void> => {
  const ids = groups.flat().map(key => memberId(user_id, kind, key))
  const selected = { _id: { $in: ids } }
  // Keeps the reasons: they mark the labels that were joined by meaning.
  const before = await canonMembers.find(selected, { key: 1, why: 1 }, { session }).lean()
  const reasons = new Map(before.map(({ key, why }) => [key, why]))
  await canonMembers.deleteMany(selected, { session })
  const clusters = groups
    .filter(({ length }) => length > 1)
    .map(keys => {
      const turned = new Set(kind === 'verb' ? keys.filter(key => formOf(key).turned) : [])
      // In a cluster of only passive verbs, none is turned.
      const isMixed = turned.size < keys.length
      return keys.map(key => ({
        key,
        why: reasons.get(key) ?? ('rule' as const),
        turned: isMixed && turned.has(key),
      }))
    })
  await canonMembers.insertMany(memberDocs(user_id, kind, clusters), { session, lean: true })
}
